#include "dispatch/simulation/yaml_values.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files/yaml_keys.h"
#include "base/text/decimal.h"
#include "base/text/suggest.h"

namespace sonde::dispatch::simulation {
namespace {

std::string wanted(Units units, double min, double max) {
  const UnitOf& unit = units.front();
  const std::string range = fmt::format("from {:g} to {:g}", min / unit.factor, max / unit.factor);
  if (unit.name.empty()) return fmt::format("expected a number {}", range);
  return fmt::format("expected a number {} with its unit, such as '{:g} {}'", range,
                     std::clamp(10 * unit.factor, min, max) / unit.factor, unit.name);
}

}  // namespace

void YamlValues::problem(const YAML::Mark& mark, std::string_view message) {
  const bool nowhere = mark.is_null();
  problems.push_back(
      fmt::format("{}:{}:{}: {}", file_, nowhere ? 1 : mark.line + 1, nowhere ? 1 : mark.column + 1, message));
}

bool YamlValues::is_map(const YAML::Node& node, std::span<const std::string_view> known) {
  if (!node.IsMap()) {
    problem(node.Mark(), fmt::format("expected keys such as '{}'", known.front()));
    return false;
  }
  check_yaml_keys(node, known, [&](const YAML::Mark& mark, const std::string& says) { problem(mark, says); });
  return true;
}

std::optional<double> YamlValues::amount_of(const YAML::Node& value, std::string_view key, Units units, double min,
                                            double max) {
  const std::string text = value.IsScalar() ? value.Scalar() : "";
  const size_t end = text.find_first_not_of("0123456789.+-eE");
  const auto number = real_of(std::string_view(text).substr(0, end));
  const size_t at = end == std::string::npos ? end : text.find_first_not_of(' ', end);
  const std::string_view unit = at == std::string::npos ? "" : std::string_view(text).substr(at);
  const auto found = std::ranges::find(units, unit, &UnitOf::name);
  constexpr double kRounding = 1e-12;
  if (number && found != units.end() && *number * found->factor >= min &&
      *number * found->factor <= max * (1 + kRounding))
    return *number * found->factor;
  problem(value.Mark(), fmt::format("'{}' is not a valid value for '{}': {}", text, key, wanted(units, min, max)));
  return std::nullopt;
}

std::optional<double> YamlValues::amount(const YAML::Node& map, const char* key, Units units, double min, double max) {
  const YAML::Node node = map[key];
  if (!node) return std::nullopt;
  return amount_of(node, key, units, min, max);
}

std::optional<int64_t> YamlValues::whole(const YAML::Node& map, const char* key, Units units, double min, double max) {
  const auto value = amount(map, key, units, min, max);
  if (!value) return std::nullopt;
  return std::llround(*value);
}

std::optional<std::string> YamlValues::text(const YAML::Node& map, const char* key) {
  const YAML::Node node = map[key];
  if (!node) return std::nullopt;
  if (node.IsScalar() && !node.Scalar().empty()) return node.Scalar();
  problem(node.IsNull() ? map.Mark() : node.Mark(), fmt::format("'{}' has no value", key));
  return std::nullopt;
}

std::optional<bool> YamlValues::yes_or_no(const YAML::Node& map, const char* key) {
  const YAML::Node node = map[key];
  if (!node) return std::nullopt;
  if (node.IsScalar() && node.Scalar() == "true") return true;
  if (node.IsScalar() && node.Scalar() == "false") return false;
  problem(node.Mark(), fmt::format("'{}' must be true or false", key));
  return std::nullopt;
}

std::vector<std::string> YamlValues::texts(const YAML::Node& map, const char* key) {
  std::vector<std::string> all;
  for (const YAML::Node& item : list(map, key)) {
    if (item.IsScalar() && !item.Scalar().empty()) {
      all.push_back(item.Scalar());
    } else {
      problem(item.Mark(), fmt::format("'{}' must be a list of names", key));
    }
  }
  return all;
}

std::optional<std::string> YamlValues::one_of(const YAML::Node& map, const char* key,
                                              std::span<const std::string_view> names) {
  auto value = text(map, key);
  if (!value || std::ranges::find(names, *value) != names.end()) return value;
  problem(map[key].Mark(), fmt::format("'{}' is not a valid value for '{}'{}; allowed: {}", *value, key,
                                       did_you_mean(*value, names), fmt::join(names, ", ")));
  return std::nullopt;
}

std::vector<YAML::Node> YamlValues::list(const YAML::Node& map, const char* key) {
  const YAML::Node items = map[key];
  if (!items) return {};
  if (items.IsSequence()) return {items.begin(), items.end()};
  problem(items.Mark(), fmt::format("'{}' must be a list", key));
  return {};
}

}  // namespace sonde::dispatch::simulation
