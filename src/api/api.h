#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "api/keys/keys.h"
#include "api/message.h"
#include "base/log.h"
#include "config/live.h"
#include "dispatch/dispatcher.h"
#include "monitor/monitor.h"

namespace sonde::api {

class LogFollowers;
class ScrapeCache;

/// What routes answer from.
struct Services {
  config::LiveConfig* config = nullptr;
  monitor::Monitor* monitor = nullptr;
  monitor::History* history = nullptr;
  monitor::EventLog* events = nullptr;
  dispatch::Dispatcher* dispatcher = nullptr;  ///< null: tasks are switched off
  KeyFile* keys = nullptr;
  Log* log = nullptr;
  std::function<int64_t()> now_ns;  ///< since 1970
  std::string hostname;
  ScrapeCache* scrape = nullptr;      ///< set by Api::make
  LogFollowers* followers = nullptr;  ///< likewise
};

/// Who asks, once the key was checked.
struct Caller {
  std::string name;  ///< of the key; empty without one
  Role role = Role::none;
};

/// A call, as a route gets it.
struct Call {
  const Request& request;
  const Services& services;
  Caller caller;
  std::vector<std::string> path_values;  ///< of {parts} of the route's path, in order
  const nlohmann::json* body = nullptr;  ///< parsed and checked, where the route has a schema for it

  /// The first of that name in the query; empty where there is none.
  [[nodiscard]] std::string_view query(std::string_view name) const;
};

/// A parameter of the query.
struct Parameter {
  std::string_view name;
  std::string_view schema;  ///< JSON schema: {"type":"integer","minimum":0}; the call is refused where it does not fit
  std::string_view description;
};

/// A route: routes/list.inc, one file each. The OpenAPI document is made of these rows.
struct Route {
  std::string_view name;  ///< operationId: "list_gpus"
  Method method = Method::get;
  std::string_view path;         ///< "/api/v1/gpus/{gpu}"
  Role role = Role::read;        ///< that a key needs; none: no key
  std::string_view summary;      ///< one line
  std::string_view description;  ///< more, in Markdown; may be empty
  std::span<const Parameter> parameters;
  std::string_view body;      ///< JSON schema of the request's body; empty: none is read
  std::string_view response;  ///< JSON schema of the response; "text/event-stream" or "text/plain" for no JSON
  std::string_view example;   ///< of the request's body, or empty
  std::span<const std::string_view> problems =
      {};                                   ///< codes of problems_en.inc that it gives beside those that all give
  std::span<const Parameter> headers = {};  ///< of the request, that the route looks at
  int status = 200;                         ///< of its answer where all is well; 201: with a Location
  Response (*answer)(const Call& call) = nullptr;
};
[[nodiscard]] std::span<const Route* const> routes();

/// The OpenAPI 3.1 document of routes(), as JSON.
[[nodiscard]] std::string openapi_document();

/// Answers requests: finds the route, checks key, role, rate, parameters and body, and writes calls that change
/// something to the log with who made them. Thread-safe. Never throws: what goes wrong inside is a 500 and a log line.
class Api {
 public:
  [[nodiscard]] static std::unique_ptr<Api> make(Services services);
  virtual ~Api() = default;
  [[nodiscard]] virtual Response answer(const Request& request) = 0;
};

}  // namespace sonde::api
