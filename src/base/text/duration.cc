#include "base/text/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace sonde {
namespace {

struct TimeUnitName {
  std::string_view name;
  double nanoseconds;
};

constexpr std::array kTimeUnits = {TimeUnitName{"", 1},         TimeUnitName{"ns", 1},     TimeUnitName{"nsec", 1},
                                   TimeUnitName{"us", 1e3},     TimeUnitName{"usec", 1e3}, TimeUnitName{"ms", 1e6},
                                   TimeUnitName{"msec", 1e6},   TimeUnitName{"s", 1e9},    TimeUnitName{"sec", 1e9},
                                   TimeUnitName{"m", 60e9},     TimeUnitName{"min", 60e9}, TimeUnitName{"h", 3600e9},
                                   TimeUnitName{"hour", 3600e9}};

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

/// The unit at the front of `text`, which is moved behind it.
Result<double> take_unit(std::string_view& text, std::string_view whole) {
  const size_t length = static_cast<size_t>(std::ranges::find_if_not(text, is_letter) - text.begin());
  const std::string_view name = text.substr(0, length);
  const auto* unit = std::ranges::find(kTimeUnits, name, &TimeUnitName::name);
  if (unit == kTimeUnits.end())
    return fail("'{}' is not a unit of time (in '{}'); use ns, us, ms, s, m or h", name, whole);
  text.remove_prefix(length);
  return unit->nanoseconds;
}

}  // namespace

Result<int64_t> parse_duration(std::string_view whole) {
  std::string_view text = whole;
  double total = 0;
  do {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return fail("'{}' is not a duration; write it as 1s, 250ms or 1s2ms3us4ns", whole);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    const auto unit = take_unit(text, whole);
    if (!unit) return std::unexpected(unit.error());
    total += number * *unit;
  } while (!text.empty());
  constexpr double kLimit = 9e18;
  if (!(std::abs(total) < kLimit)) return fail("'{}' is longer than 292 years", whole);
  return std::llround(total);
}

}  // namespace sonde
