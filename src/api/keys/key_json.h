#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/keys/keys.h"

namespace sonde::api {

/// A key as the file has it.
struct StoredKey {
  Key key;
  std::string sha256;  ///< of the secret, 64 hex digits
};

/// The file's text (schema: docs/schemas/keys.schema.json).
[[nodiscard]] std::string keys_json(const std::vector<StoredKey>& keys);
/// The error says what is wrong, without the file's name.
[[nodiscard]] Result<std::vector<StoredKey>> parse_keys(std::string_view text);

/// Whether a key may be called that: 1 to 64 characters of UTF-8, none of them a control character, no blank at either
/// end, and not the form of an id.
[[nodiscard]] Status check_key_name(const std::string& name);

/// "read", "submit", "admin"; nothing for other names.
[[nodiscard]] std::optional<Role> role_of_name(std::string_view name);

}  // namespace sonde::api
