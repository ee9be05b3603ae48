#include "report/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace sonde {
namespace {

struct Scale {
  double factor;
  std::string_view unit;
};

/// Three significant digits in the largest unit that leaves at least 1 before the point.
template <size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales) {
  const Scale* scale = &scales.front();
  for (const Scale& s : scales) {
    if (std::abs(value) >= s.factor) scale = &s;
  }
  const double shown = value / scale->factor;
  const double size = std::abs(shown);
  const int decimals = size >= 100 || shown == 0 || scale->factor == 1 ? 0 : size >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", shown, decimals, scale->unit);
}

constexpr std::array kTimes = {Scale{1, "ns"}, Scale{1e3, "us"}, Scale{1e6, "ms"}, Scale{1e9, "s"}};
constexpr std::array kBytes = {Scale{1, "B"}, Scale{1e3, "kB"}, Scale{1e6, "MB"}, Scale{1e9, "GB"}, Scale{1e12, "TB"}};
constexpr std::array kRates = {Scale{1, "B/s"}, Scale{1e3, "kB/s"}, Scale{1e6, "MB/s"}, Scale{1e9, "GB/s"},
                               Scale{1e12, "TB/s"}};

}  // namespace

std::string time_text(double nanoseconds) { return scaled(nanoseconds, kTimes); }
std::string bytes_text(double bytes) { return scaled(bytes, kBytes); }
std::string rate_text(double bytes_per_s) { return scaled(bytes_per_s, kRates); }

std::string percent_text(double part, double whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100 * part / whole);
}

std::string counted(int64_t count, std::string_view noun) {
  const bool sibilant = noun.ends_with("ch");
  return fmt::format("{} {}{}", count_text(count), noun, count == 1 ? "" : sibilant ? "es" : "s");
}

std::string with_separators(std::string number) {
  const size_t first = number.starts_with('-') ? 1 : 0;
  for (size_t at = std::min(number.find('.'), number.size()); at > first + 3; at -= 3) number.insert(at - 3, 1, ',');
  return number;
}

std::string count_text(int64_t count) { return with_separators(fmt::format("{}", count)); }

}  // namespace sonde
