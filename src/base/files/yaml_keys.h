#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <yaml-cpp/yaml.h>

namespace sonde {

/// Calls `problem` with the place and a sentence for each key of `map` that is not known or stands twice.
void check_yaml_keys(const YAML::Node& map, std::span<const std::string_view> known,
                     const std::function<void(const YAML::Mark&, std::string)>& problem);

}  // namespace sonde
