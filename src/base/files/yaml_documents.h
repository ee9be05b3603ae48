#pragma once

#include <optional>
#include <string>

#include <yaml-cpp/yaml.h>

namespace sonde {

/// Where a second document of a YAML text begins. No third is looked for: yaml-cpp's LoadAll() finds ever new ones in
/// what is no YAML, such as CSV with quoted fields. Throws YAML::Exception as YAML::Load() does.
[[nodiscard]] std::optional<YAML::Mark> second_yaml_document(const std::string& yaml);

}  // namespace sonde
