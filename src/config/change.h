#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/error.h"
#include "config/keys.h"

namespace sonde::config {

/// Changes of single keys: Key::name -> value as JSON.
using Changes = std::map<std::string_view, std::string>;

/// Sets one key of `config` by its value as JSON; checked as in a file, by itself. The error names the key.
[[nodiscard]] Status apply_change(const Key& key, const std::string& json, const std::string& folder, Config& config);

/// The key of that name; the error names the nearest one.
[[nodiscard]] Result<const Key*> known_key(std::string_view name);

/// Reads the file of changes that outlive a restart; no changes where there is no such file.
[[nodiscard]] Result<Changes> read_changes(const std::string& file);
/// Replaces it; its folder is made where it is missing.
[[nodiscard]] Status write_changes(const std::string& file, const Changes& changes);

}  // namespace sonde::config
