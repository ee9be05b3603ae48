#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/health.h"

namespace sonde::api {
namespace get_health {
namespace {

using Json = nlohmann::ordered_json;

Json check_json(const HealthCheck& check) {
  return {{"name", check.name},
          {"status", health_status_name(check.status)},
          {"detail", check.detail.empty() ? Json(nullptr) : Json(check.detail)}};
}

Response answer(const Call& call) {
  const auto checks = health_checks(call.services);
  const HealthStatus status = worst_of(checks);
  Json body = {{"status", health_status_name(status)}, {"checks", Json::array()}};
  for (const HealthCheck& check : checks) body["checks"].push_back(check_json(check));
  Response response = json_response(body);
  response.status = status == HealthStatus::failed ? 503 : 200;
  return response;
}

}  // namespace
}  // namespace get_health

extern const Route get_health_route;
constinit const Route get_health_route{
    .name = "get_health",
    .path = "/api/v1/health",
    .role = Role::none,
    .summary = "Health of the service",
    .description =
        "`degraded`: the service works, but something that it depends on does not (driver, disk, key file). `failed`, "
        "with 503: sampling or the dispatcher has stopped.",
    .parameters = {},
    .body = {},
    .response = R"({"$ref": "#/components/schemas/Health"})",
    .example = {},
    .answer = get_health::answer};

}  // namespace sonde::api
