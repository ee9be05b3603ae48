#include <algorithm>

#include <nlohmann/json.hpp>

#include "api/answers.h"

namespace sonde::api {
namespace {

using Json = nlohmann::ordered_json;

/// The scheme and host of a URL: what stands behind them is often a secret of the receiver.
std::string shortened(const std::string& url) {
  const size_t scheme = url.find("://");
  const size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  const size_t end = std::min(url.find_first_of("/?#", host), url.size());
  const size_t user = url.rfind('@', end);
  const size_t begin = user == std::string::npos || user < host ? host : user + 1;
  return url.substr(0, host) + url.substr(begin, end - begin) + (end < url.size() ? "/..." : "");
}

bool holds_urls(std::string_view key) { return key == "sonde.alerts.webhooks" || key == "sonde.alerts.alertmanagers"; }

/// Who may not change the configuration does not see the secrets in it either.
Json value_for(const Caller& caller, const config::KeyState& key) {
  Json value = Json::parse(key.value);
  if (caller.role == Role::admin || !holds_urls(key.key) || !value.is_array()) return value;
  for (Json& url : value) url = shortened(url.get<std::string>());
  return value;
}

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
    const Json value = value_for(call.caller, key);
    body["keys"].push_back(key_json(key, value));
    put(body["config"], key.key, value);
  }
  return json_response(body);
}

}  // namespace

extern const Route get_config_route;
constinit const Route get_config_route{
    .name = "get_config",
    .path = "/api/v1/config",
    .summary = "The configuration in force, and where each value comes from",
    .description = "Of URLs of alerts, keys below the role admin see scheme and host only.",
    .parameters = {},
    .body = {},
    .response = R"({"$ref": "#/components/schemas/Config"})",
    .example = {},
    .answer = answer};

}  // namespace sonde::api
