#include "gate/amount.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace sonde::gate {
namespace {

struct UnitName {
  std::string_view name;
  Unit unit;
  double factor;
};

constexpr double kKibi = 1024;

constexpr auto kUnits = std::to_array<UnitName>({
    {"", Unit::none, 1},
    {"%", Unit::percent, 1},
    {"ns", Unit::nanoseconds, 1},
    {"us", Unit::nanoseconds, 1e3},
    {"\u00B5s", Unit::nanoseconds, 1e3},  // micro sign
    {"\u03BCs", Unit::nanoseconds, 1e3},  // Greek mu
    {"ms", Unit::nanoseconds, 1e6},
    {"s", Unit::nanoseconds, 1e9},
    {"min", Unit::nanoseconds, 60e9},
    {"B", Unit::bytes, 1},
    {"kB", Unit::bytes, 1e3},
    {"KB", Unit::bytes, 1e3},
    {"MB", Unit::bytes, 1e6},
    {"GB", Unit::bytes, 1e9},
    {"TB", Unit::bytes, 1e12},
    {"KiB", Unit::bytes, kKibi},
    {"MiB", Unit::bytes, kKibi* kKibi},
    {"GiB", Unit::bytes, kKibi* kKibi* kKibi},
    {"TiB", Unit::bytes, kKibi* kKibi* kKibi* kKibi},
});

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::unexpected<Error> unknown_unit(std::string_view name, std::string_view whole) {
  std::array<std::string_view, kUnits.size()> names;
  std::ranges::transform(kUnits, names.begin(), &UnitName::name);
  // Units are so short that any is within two typing mistakes of any other: only another case is a likely one.
  const auto* const same = std::ranges::find_if(names, [&](std::string_view known) {
    return std::ranges::equal(known, name, [](char a, char b) { return (a | 0x20) == (b | 0x20); });
  });
  const std::string hint = same == names.end() ? std::string() : fmt::format(", did you mean '{}'?", *same);
  return fail("'{}' in '{}' is not a known unit{}{}", name, whole, hint,
              hint.empty() ? ": use ns, us, ms, s, min, B, kB, MB, GB, KiB, MiB, GiB or %" : "");
}

}  // namespace

Result<Amount> parse_amount(std::string_view whole) {
  const std::string_view text = without_blanks(whole);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) {
    return fail("'{}' is not an amount; write a number with its unit, such as 200 ms, 64 MB, 3 % or 12", whole);
  }
  if (number < 0) return fail("'{}' is negative", whole);
  const std::string_view name = without_blanks(text.substr(static_cast<size_t>(end - text.data())));
  const auto* const unit = std::ranges::find(kUnits, name, &UnitName::name);
  if (unit == kUnits.end()) return unknown_unit(name, whole);
  return Amount{.number = number * unit->factor, .unit = unit->unit};
}

std::string_view unit_example(Unit unit) {
  switch (unit) {
    case Unit::nanoseconds: return "a time such as 200 ms";
    case Unit::bytes: return "bytes such as 64 MB";
    case Unit::percent: return "a share such as 50 %";
    default: return "a plain number such as 12";
  }
}

}  // namespace sonde::gate
