#include <array>

#include "api/answers.h"
#include "api/scrape.h"
#include "dispatch/metrics/exposition.h"

namespace sonde::api {
namespace metrics {
namespace {

/// The key that switches the metrics off; nothing where they are on.
std::string_view off_by(const config::Monitoring& monitoring) {
  if (!monitoring.enabled) return "gpu.monitoring.enabled";
  return monitoring.prometheus_metrics ? std::string_view() : "gpu.monitoring.prometheus_metrics";
}

Response answer(const Call& call) {
  const auto config = call.services.config->current();
  if (const auto key = off_by(config->gpu.monitoring); !key.empty()) return refuse("metrics_off", {{"key", key}});
  const auto host = call.services.monitor->snapshot();
  Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  const auto form = call.query("dcgm") == "exact" ? monitor::DcgmForm::exact : monitor::DcgmForm::linted;
  response.body = call.services.scrape->text(host, config, form, call.services.hostname);
  if (const auto* const dispatcher = call.services.dispatcher) {
    response.body += dispatch::exposition(*dispatcher->snapshot(), *config, dispatcher->executor().bytes());
  }
  return response;
}

constexpr std::array kParameters = {
    Parameter{.name = "dcgm",
              .schema = R"({"type": "string", "enum": ["linted", "exact"]})",
              .description = "Form of DCGM's metrics: `exact`, as exposed by dcgm-exporter, or `linted`, changed to "
                             "pass `promtool check metrics`; default: `linted`"},
};
constexpr std::array<std::string_view, 1> kProblems = {"metrics_off"};

}  // namespace
}  // namespace metrics

extern const Route metrics_route;
constinit const Route metrics_route{
    .name = "metrics",
    .path = "/metrics",
    .role = Role::none,
    .summary = "Metrics in Prometheus text format 0.0.4",
    .description =
        "The path is set by `gpu.monitoring.prometheus_endpoint`. With `sonde.server.metrics_need_key` it requires a "
        "key with the role read. Does not read GPUs.",
    .parameters = metrics::kParameters,
    .body = {},
    .response = "text/plain",
    .example = {},
    .problems = metrics::kProblems,
    .answer = metrics::answer};

}  // namespace sonde::api
