#include <array>

#include <nlohmann/json.hpp>

#include "api/config_change.h"

namespace sonde::api {
namespace set_max_concurrent_tasks {
namespace {

Response answer(const Call& call) {
  const auto& body = *call.body;
  return change_config(call, "gpu.multi_gpu.max_concurrent_tasks_per_gpu", body.at("max_concurrent_tasks"),
                       body.value("persist", false));
}

constexpr std::array<std::string_view, 2> kProblems = {"invalid_value", "not_kept"};

}  // namespace
}  // namespace set_max_concurrent_tasks

extern const Route set_max_concurrent_tasks_route;
constinit const Route set_max_concurrent_tasks_route{
    .name = "set_max_concurrent_tasks",
    .method = Method::post,
    .path = "/api/v1/config/gpu/max_concurrent_tasks",
    .role = Role::admin,
    .summary = "Set the maximum number of concurrent tasks per GPU",
    .description = "Takes effect immediately. It is lost at a restart unless `persist` is true.",
    .parameters = {},
    .body = R"({"type": "object", "required": ["max_concurrent_tasks"], "additionalProperties": false, "properties": {
      "max_concurrent_tasks": {"type": "integer", "minimum": 1, "maximum": 10000},
      "persist": {"type": "boolean", "description": "keep the value after a restart; default: false"}}})",
    .response = R"({"$ref": "#/components/schemas/ConfigChange"})",
    .example = R"({"max_concurrent_tasks": 12})",
    .problems = set_max_concurrent_tasks::kProblems,
    .answer = set_max_concurrent_tasks::answer};

}  // namespace sonde::api
