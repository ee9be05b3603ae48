#include <array>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/config_change.h"

namespace sonde::api {
namespace reload_config {
namespace {

Response answer(const Call& call) {
  const auto reload = call.services.config->reload();
  if (!reload) return refuse("invalid_configuration", {{"what", reload.error().message}});
  if (!reload->changed.empty()) add_config_event(*call.services.events, reload->changed, call.caller.name);
  return json_response({{"changed", reload->changed}, {"waits_for_restart", reload->waits_for_restart}});
}

constexpr std::array<std::string_view, 1> kProblems = {"invalid_configuration"};

}  // namespace
}  // namespace reload_config

extern const Route reload_config_route;
constinit const Route reload_config_route{
    .name = "reload_config",
    .method = Method::post,
    .path = "/api/v1/config/reload",
    .role = Role::admin,
    .summary = "Reload the configuration file, as on SIGHUP",
    .description = "An invalid file changes nothing. Only SIGHUP reloads the TLS certificate.",
    .parameters = {},
    .body = {},
    .response = R"({"$ref": "#/components/schemas/Reload"})",
    .example = {},
    .problems = reload_config::kProblems,
    .answer = reload_config::answer};

}  // namespace sonde::api
