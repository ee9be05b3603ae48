#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "api/api.h"

namespace sonde::api {

/// Sets `key` to `value` and answers with the previous value; adds an event to the log. `persist` is taken from the
/// body.
[[nodiscard]] Response change_config(const Call& call, std::string_view key, const nlohmann::json& value, bool persist);

/// The event `config`: keys that hold from now on, and by whom.
void add_config_event(monitor::EventLog& events, const std::vector<std::string>& keys, const std::string& by);

}  // namespace sonde::api
