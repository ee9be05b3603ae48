#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace sonde::api {

/// Arrays and objects inside of one another, at most.
inline constexpr int kMaxDepth = 16;

/// JSON by RFC 8259 and nothing beside it: UTF-8, no key twice in an object, at most kMaxDepth deep. The error goes
/// on after a subject: "cannot be read: ...", "has the key 'a' twice in one object".
[[nodiscard]] Result<nlohmann::json> parse_strictly(std::string_view text);

}  // namespace sonde::api
