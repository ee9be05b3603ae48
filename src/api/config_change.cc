#include "api/config_change.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "config/change.h"
#include "config/keys.h"
#include "monitor/json.h"

namespace sonde::api {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const config::LiveConfig& config, std::string_view key) {
  const auto keys = config.keys();
  const auto state = std::ranges::find(keys, key, &config::KeyState::key);
  return state == keys.end() ? Json(nullptr) : Json::parse(state->value);
}

/// Whether the value is one of the key: then only keeping it can have failed.
bool may_stand(config::Config config, std::string_view key, const nlohmann::json& value) {
  const config::Key* row = config::find_key(key);
  return row != nullptr && config::apply_change(*row, value.dump(), "", config);
}

/// As people write it: round_robin, not "round_robin".
std::string log_text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

void add_config_event(monitor::EventLog& events, const std::vector<std::string>& keys, const std::string& by) {
  events.add("config", monitor::json_line({{"changed", keys}, {"by", by}}));
}

Response change_config(const Call& call, std::string_view key, const nlohmann::json& value, bool persist) {
  config::LiveConfig& config = *call.services.config;
  const Json before = value_of(config, key);
  const Status set = config.set(key, value.dump(), persist);
  if (!set)
    return refuse(may_stand(*config.current(), key, value) ? "not_kept" : "invalid_value",
                  {{"what", set.error().message}});
  add_config_event(*call.services.events, {std::string(key)}, call.caller.name);
  call.services.log->info("configuration changed through the API", {{"key", std::string(key)},
                                                                    {"before", log_text(before)},
                                                                    {"value", log_text(value)},
                                                                    {"persisted", persist ? "true" : "false"},
                                                                    {"key_name", call.caller.name}});
  return json_response({{"key", key}, {"value", value}, {"before", before}, {"persisted", persist}});
}

}  // namespace sonde::api
