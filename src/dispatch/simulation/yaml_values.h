#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

namespace sonde::dispatch::simulation {

struct UnitOf {
  std::string_view name;
  double factor;
};
using Units = std::span<const UnitOf>;
inline constexpr auto kTimes =
    std::to_array<UnitOf>({{"s", 1e9}, {"ms", 1e6}, {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}});
inline constexpr auto kMemory = std::to_array<UnitOf>(
    {{"GiB", 1073741824.0}, {"MiB", 1048576.0}, {"TiB", 1099511627776.0}, {"GB", 1e9}, {"MB", 1e6}, {"B", 1}});
inline constexpr auto kShares = std::to_array<UnitOf>({{"%", 0.01}});
inline constexpr auto kNumbers = std::to_array<UnitOf>({{"", 1}});

/// Reads values of a YAML file and collects what is wrong with them: "FILE:LINE:COLUMN: MESSAGE".
class YamlValues {
 public:
  explicit YamlValues(std::string file) : file_(std::move(file)) {}

  void problem(const YAML::Mark& mark, std::string_view message);
  /// A map with no other keys than these.
  bool is_map(const YAML::Node& node, std::span<const std::string_view> known);
  /// "80 GiB" in the unit that has the factor 1; absent where the key is, or its value is wrong.
  std::optional<double> amount(const YAML::Node& map, const char* key, Units units, double min, double max);
  std::optional<int64_t> whole(const YAML::Node& map, const char* key, Units units, double min, double max);
  std::optional<double> amount_of(const YAML::Node& value, std::string_view key, Units units, double min, double max);
  std::optional<std::string> text(const YAML::Node& map, const char* key);
  std::optional<bool> yes_or_no(const YAML::Node& map, const char* key);
  std::vector<std::string> texts(const YAML::Node& map, const char* key);
  /// The value where it is one of the names.
  std::optional<std::string> one_of(const YAML::Node& map, const char* key, std::span<const std::string_view> names);
  std::vector<YAML::Node> list(const YAML::Node& map, const char* key);

  std::vector<std::string> problems;

 private:
  std::string file_;
};

}  // namespace sonde::dispatch::simulation
