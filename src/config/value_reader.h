#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <yaml-cpp/yaml.h>

#include "config/keys.h"

namespace sonde::config {

/// Gets what is wrong with a value: its place, the name below the key where one is meant, and a sentence that says what
/// is allowed too.
using Complain = std::function<void(const YAML::Mark& mark, std::string_view below, std::string message)>;

/// Reads the value of a key into `config`, which stays as it is where the value is not allowed.
void read_value(const YAML::Node& node, const Key& key, Config& config, const Complain& complain);

/// Text of a file as an error may show it: on one line, in quotation marks, shortened.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// What the file contains instead of a value, such as "found a list".
[[nodiscard]] std::string_view stands_here(const YAML::Node& node);

/// Whether a tag such as !env asks for what is not done here.
[[nodiscard]] bool has_foreign_tag(const YAML::Node& node);

}  // namespace sonde::config
