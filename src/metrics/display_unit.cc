#include "metrics/display_unit.h"

#include <array>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

namespace sonde {
namespace {

/// A unit and how many of its base unit it is.
struct Scale {
  std::string_view unit;
  double factor;
};

constexpr std::array kTimes = {Scale{"s", 1e9}, Scale{"ms", 1e6}, Scale{"us", 1e3}, Scale{"ns", 1}};
constexpr std::array kBytes = {Scale{"Tbyte", 1e12}, Scale{"Gbyte", 1e9}, Scale{"Mbyte", 1e6}, Scale{"Kbyte", 1e3},
                               Scale{"byte", 1}};
constexpr std::array kFrequencies = {Scale{"Ghz", 1e9}, Scale{"Mhz", 1e6}, Scale{"Khz", 1e3}, Scale{"hz", 1}};
/// Rates other than of bytes are shown by a shorter time: 849.49 inst/ns.
constexpr std::array kPerTime = {Scale{"ns", 1e9}, Scale{"us", 1e6}, Scale{"ms", 1e3}, Scale{"s", 1}};
/// Before 2024 ncu wrote times out.
constexpr std::array kLongTimes = {Scale{"second", 1e9}, Scale{"msecond", 1e6}, Scale{"usecond", 1e3},
                                   Scale{"nsecond", 1}};

/// The largest scale of which `value` holds one, else the last.
const Scale& fitting(std::span<const Scale> scales, double value) {
  for (const Scale& s : scales) {
    if (std::abs(value) >= s.factor) return s;
  }
  return scales.back();
}

std::optional<double> factor_of(std::span<const Scale> scales, std::string_view unit) {
  for (const Scale& s : scales) {
    if (s.unit == unit) return s.factor;
  }
  return std::nullopt;
}

struct Ratio {
  std::string_view above;
  std::string_view below;  ///< empty where the unit has no "/"
};

Ratio split(std::string_view unit) {
  const size_t at = unit.find('/');
  if (at == std::string_view::npos) return {unit, {}};
  return {unit.substr(0, at), unit.substr(at + 1)};
}

DisplayScale automatic_scale(double value, std::string_view unit) {
  const auto [above, below] = split(unit);
  const auto ratio = [](std::string_view a, std::string_view b) {
    return b.empty() ? std::string(a) : fmt::format("{}/{}", a, b);
  };
  const auto by = [&](std::span<const Scale> scales) { return fitting(scales, value); };
  if (above == "byte") return {ratio(by(kBytes).unit, below), by(kBytes).factor};
  if (unit == "ns") return {std::string(by(kTimes).unit), by(kTimes).factor};
  if (unit == "hz") return {std::string(by(kFrequencies).unit), by(kFrequencies).factor};
  if (below == "s") return {ratio(above, by(kPerTime).unit), by(kPerTime).factor};
  if (below == "byte") return {ratio(above, by(kBytes).unit), by(kBytes).factor};
  return {std::string(unit), 1};
}

std::string value_text(double value) {
  if (std::isnan(value)) return "nan";
  return value == std::trunc(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

/// A time below "/": how many of it are in a second.
std::optional<double> times_a_second(std::string_view unit) {
  if (const auto factor = factor_of(kPerTime, unit)) return factor;
  const auto ns = factor_of(kLongTimes, unit);
  return ns ? std::optional(1e9 / *ns) : std::nullopt;
}

BaseValue base_of_simple(std::string_view unit) {
  if (const auto factor = factor_of(kBytes, unit)) return {*factor, "byte"};
  if (const auto factor = factor_of(kFrequencies, unit)) return {*factor, "hz"};
  if (const auto factor = factor_of(kTimes, unit)) return {*factor, "ns"};
  if (const auto factor = factor_of(kLongTimes, unit)) return {*factor, "ns"};
  return {1, std::string(unit)};
}

}  // namespace

DisplayScale display_scale(double value, std::string_view base_unit, PrintUnits units) {
  return units == PrintUnits::base ? DisplayScale{std::string(base_unit), 1} : automatic_scale(value, base_unit);
}

ShownValue shown_value(double value, std::string_view base_unit, PrintUnits units) {
  const DisplayScale scale = display_scale(value, base_unit, units);
  return {value_text(value / scale.factor), scale.unit};
}

BaseValue base_of_unit(std::string_view unit) {
  const auto [above, below] = split(unit);
  if (below.empty()) return base_of_simple(unit);
  const auto a_second = times_a_second(below);
  if (above == "cycle" && a_second) return {*a_second, "hz"};
  BaseValue base = base_of_simple(above);
  const auto bytes = factor_of(kBytes, below);
  base.factor *= a_second.value_or(bytes.value_or(1));
  const std::string_view base_below = bytes ? std::string_view("byte") : below;
  base.unit += fmt::format("/{}", a_second ? "s" : base_below);
  return base;
}

}  // namespace sonde
