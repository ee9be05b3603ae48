#include <algorithm>

#include <nlohmann/json.hpp>

#include "api/answers.h"

namespace sonde::api {
namespace get_config {
namespace {

using Json = nlohmann::ordered_json;

Json key_json(const config::KeyState& key, const Json& value) {
  return {{"key", key.key},
          {"value", value},
          {"origin", config::origin_name(key.origin)},
          {"line", key.line == 0 ? Json(nullptr) : Json(key.line)},
          {"needs_restart", key.needs_restart},
          {"waits_for_restart", key.waits_for_restart}};
}

/// Puts a value where its dotted key stands in the file.
void put(Json& tree, std::string_view key, const Json& value) {
  Json* place = &tree;
  while (true) {
    const size_t dot = std::min(key.find('.'), key.size());
    place = &(*place)[std::string(key.substr(0, dot))];
    if (dot == key.size()) break;
    key.remove_prefix(dot + 1);
  }
  *place = value;
}

Response answer(const Call& call) {
  const config::LiveConfig& config = *call.services.config;
  Json body = {{"file", config.file()}, {"keys", Json::array()}, {"config", Json::object()}};
  for (const config::KeyState& key : config.keys()) {
    const Json value = Json::parse(key.value);
    body["keys"].push_back(key_json(key, value));
    put(body["config"], key.key, value);
  }
  return json_response(body);
}

}  // namespace
}  // namespace get_config

extern const Route get_config_route;
constinit const Route get_config_route{.name = "get_config",
                                       .path = "/api/v1/config",
                                       .summary = "The current configuration and the source of each value",
                                       .description = "Secrets in URLs are replaced by `***`.",
                                       .parameters = {},
                                       .body = {},
                                       .response = R"({"$ref": "#/components/schemas/Config"})",
                                       .example = {},
                                       .answer = get_config::answer};

}  // namespace sonde::api
