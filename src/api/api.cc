#include "api/api.h"

#include <array>
#include <exception>

#include <fmt/format.h>

#include "api/arguments.h"
#include "api/keys/sign_in.h"
#include "api/log_followers.h"
#include "api/problems.h"
#include "api/router.h"
#include "api/scrape.h"

namespace sonde::api {

#define SONDE_ROUTE(name) extern const Route name##_route;
#include "api/routes/list.inc"
#undef SONDE_ROUTE

namespace {

bool changes_something(const Route& route) { return route.method != Method::get; }

Response options_of(const Place& place) {
  Response response;
  response.status = 204;
  response.content_type.clear();
  response.headers.emplace_back("Allow", allowed_methods(place));
  return response;
}

Response wrong_method(const Request& request, const Place& place) {
  const std::string allowed = allowed_methods(place);
  Response response =
      refuse("wrong_method", {{"path", request.path}, {"allowed", allowed}, {"method", method_name(request.method)}});
  response.headers.emplace_back("Allow", allowed);
  return response;
}

/// Who asked for a change, for the log.
struct Audit {
  std::string key_name;
  Role role = Role::none;
  std::string call;
  std::string_view summary;
  std::string remote;
};

class RoutedApi final : public Api {
 public:
  explicit RoutedApi(Services services) : services_(std::move(services)), sign_in_(services_) {
    services_.scrape = &scrape_;
    services_.followers = &followers_;
  }

  Response answer(const Request& request) override {
    try {
      return finished(routed(request), request.method == Method::head);
    } catch (const std::exception& error) {
      return mistake(request, error.what());
    }
  }

 private:
  Response routed(const Request& request) {
    const auto config = services_.config->current();
    const Place place = router_.find(request.path, config->gpu.monitoring.prometheus_endpoint);
    if (place.entries.empty()) {
      return refuse("unknown_path", {{"path", request.path}, {"suggestion", router_.suggestion(request.path)}});
    }
    if (request.method == Method::options) return options_of(place);
    const RouteEntry* entry = entry_for(place, request.method);
    if (entry == nullptr) return wrong_method(request, place);
    return checked(request, place, *entry, *config);
  }

  /// What all answers have, also those that are made later.
  static Response finished(Response response, bool is_head) {
    if (response.later) {
      response.later = [later = std::move(response.later), is_head](std::function<void(Response)> done) {
        later([done = std::move(done), is_head](Response made) { done(finished(std::move(made), is_head)); });
      };
      return response;
    }
    response.headers.emplace_back("Cache-Control", "no-store");
    // The text is what GET would send; a stream has no end and a HEAD has no body.
    if (is_head) {
      response.body.clear();
      response.events.reset();
    }
    return response;
  }

  Response checked(const Request& request, const Place& place, const RouteEntry& entry, const config::Config& config) {
    const Route& route = *entry.route;
    auto caller = sign_in_.caller(request, route, role_of(route, config));
    if (!caller) return std::move(caller).error();
    if (auto fits = check_query(request, entry); !fits) return std::move(fits).error();
    const auto body = check_body(request, entry, config.sonde.server.max_body_bytes);
    if (!body) return body.error();
    const Call call{.request = request,
                    .services = services_,
                    .caller = *caller,
                    .path_values = place.values,
                    .body = body->is_null() ? nullptr : &*body};
    Response response = route.answer(call);
    if (!changes_something(route)) return response;
    const Audit audit = {.key_name = call.caller.name,
                         .role = call.caller.role,
                         .call = fmt::format("{} {}", method_name(route.method), request.path),
                         .summary = route.summary,
                         .remote = request.remote_address};
    return audited(std::move(response), audit);
  }

  /// The metrics' role is configured, that of all others stands in their row.
  static Role role_of(const Route& route, const config::Config& config) {
    if (route.name == "metrics" && config.sonde.server.metrics_need_key) return Role::read;
    return route.role;
  }

  /// Writes it to the log once it is answered.
  Response audited(Response response, const Audit& audit) const {
    if (!response.later) {
      write(audit, response.status);
      return response;
    }
    response.later = [this, later = std::move(response.later), audit](std::function<void(Response)> done) {
      later([this, audit, done = std::move(done)](Response made) { done(audited(std::move(made), audit)); });
    };
    return response;
  }

  void write(const Audit& audit, int status) const {
    const std::string_view how = status < 400 ? "request completed" : "request rejected";
    services_.log->info(fmt::format("{}: {}", how, audit.summary), {{"key_name", audit.key_name},
                                                                    {"role", std::string(role_name(audit.role))},
                                                                    {"call", audit.call},
                                                                    {"status", std::to_string(status)},
                                                                    {"remote", audit.remote}});
  }

  Response mistake(const Request& request, std::string_view what) const {
    services_.log->error("A request failed", {{"call", fmt::format("{} {}", method_name(request.method), request.path)},
                                              {"reason", std::string(what)}});
    return refuse("internal_error");
  }

  Services services_;
  Router router_;
  SignIn sign_in_;
  ScrapeCache scrape_;
  LogFollowers followers_;
};

}  // namespace

std::span<const Route* const> routes() {
  static const std::array all = {
#define SONDE_ROUTE(name) &name##_route,
#include "api/routes/list.inc"
#undef SONDE_ROUTE
  };
  return all;
}

std::unique_ptr<Api> Api::make(Services services) { return std::make_unique<RoutedApi>(std::move(services)); }

}  // namespace sonde::api
