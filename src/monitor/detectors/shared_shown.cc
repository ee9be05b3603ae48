#include "monitor/detectors/shared_shown.h"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace sonde::monitor {

std::string shown_celsius(double value) { return fmt::format("{:.0f} °C", value); }

std::string shown_percent(double value) {
  return value < 10 && value != std::floor(value) ? fmt::format("{:.1f} %", value) : fmt::format("{:.0f} %", value);
}

std::string shown_watts(double value) { return fmt::format("{:.0f} W", value); }

std::string shown_gib(double bytes) { return fmt::format("{:.1f} GiB", bytes / (1 << 30)); }

std::string shown_time(double seconds) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr std::array<Unit, 3> kUnits = {{{"days", 86400}, {"h", 3600}, {"min", 60}}};
  for (const Unit& unit : kUnits) {
    if (seconds >= 2 * unit.seconds) return fmt::format("{:.0f} {}", std::floor(seconds / unit.seconds), unit.name);
  }
  return fmt::format("{:.0f} s", seconds);
}

std::string shown_count(int64_t count, const std::string& one, const std::string& several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

}  // namespace sonde::monitor
