#pragma once

#include <string>
#include <string_view>

namespace sonde::api {

/// "k" and seven hex digits of the system's randomness; empty where the system gives none.
[[nodiscard]] std::string random_key_id();
/// "sonde_<id>_<43 characters>": 256 bits in base64url; empty where the system gives no randomness.
[[nodiscard]] std::string random_secret(const std::string& id);

/// 64 hex digits.
[[nodiscard]] std::string sha256_hex(std::string_view text);
/// Compares texts of equal length in constant time.
[[nodiscard]] bool same_secretly(std::string_view a, std::string_view b);

}  // namespace sonde::api
