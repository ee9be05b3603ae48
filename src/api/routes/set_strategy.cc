#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "api/config_change.h"
#include "api/problems.h"
#include "base/text/suggest.h"

namespace sonde::api {
namespace set_strategy {
namespace {

Response unknown(const std::string& strategy, const std::vector<std::string>& allowed) {
  const std::vector<std::string_view> names(allowed.begin(), allowed.end());
  return refuse("unknown_strategy", {{"strategy", strategy},
                                     {"suggestion", did_you_mean(strategy, names)},
                                     {"allowed", fmt::format("{}", fmt::join(allowed, ", "))}});
}

Response answer(const Call& call) {
  const auto& body = *call.body;
  const auto strategy = body.at("strategy").get<std::string>();
  const auto config = call.services.config->current();
  const auto& allowed = config->gpu.multi_gpu.strategies;
  if (std::ranges::find(allowed, strategy) == allowed.end()) return unknown(strategy, allowed);
  return change_config(call, "gpu.multi_gpu.default_strategy", strategy, body.value("persist", false));
}

constexpr std::array<std::string_view, 3> kProblems = {"unknown_strategy", "invalid_value", "not_kept"};

}  // namespace
}  // namespace set_strategy

extern const Route set_strategy_route;
constinit const Route set_strategy_route{
    .name = "set_strategy",
    .method = Method::post,
    .path = "/api/v1/config/gpu/strategy",
    .role = Role::admin,
    .summary = "Set the strategy that chooses GPUs for tasks",
    .description =
        "One of `gpu.multi_gpu.strategies`. Takes effect immediately. It is lost at a restart unless `persist` is "
        "true.",
    .parameters = {},
    .body = R"({"type": "object", "required": ["strategy"], "additionalProperties": false, "properties": {
      "strategy": {"type": "string", "minLength": 1, "maxLength": 64},
      "persist": {"type": "boolean", "description": "keep the value after a restart; default: false"}}})",
    .response = R"({"$ref": "#/components/schemas/ConfigChange"})",
    .example = R"({"strategy": "round_robin"})",
    .problems = set_strategy::kProblems,
    .answer = set_strategy::answer};

}  // namespace sonde::api
