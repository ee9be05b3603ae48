#include <array>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/health.h"

namespace sonde::api {
namespace get_ready {
namespace {

Response answer(const Call& call) {
  const std::string reason = why_not_ready(call.services);
  if (reason.empty()) return json_response({{"ready", true}});
  Response response = refuse("not_ready", {{"what", reason}});
  response.headers.emplace_back("Retry-After", "5");
  return response;
}

constexpr std::array<std::string_view, 1> kProblems = {"not_ready"};

}  // namespace
}  // namespace get_ready

extern const Route get_ready_route;
constinit const Route get_ready_route{
    .name = "get_ready",
    .path = "/api/v1/ready",
    .role = Role::none,
    .summary = "Whether the service can answer requests about GPUs",
    .description = "True after the first sampling round, even if the driver fails: responses report such failures.",
    .parameters = {},
    .body = {},
    .response = R"({"type": "object", "required": ["ready"], "properties": {"ready": {"const": true}}})",
    .example = {},
    .problems = get_ready::kProblems,
    .answer = get_ready::answer};

}  // namespace sonde::api
