#include "report/tables/quantity.h"

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

/// Digits before the point.
int whole_digits(double size) { return size < 10 ? 1 : 1 + static_cast<int>(std::log10(size)); }

/// `digits` significant digits in the largest unit that leaves at least 1 before the point; the smallest unit has no
/// parts unless more digits than usual are asked for.
template <size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales, int digits = kDefaultDigits) {
  const Scale* scale = &scales.front();
  for (const Scale& s : scales) {
    if (std::abs(value) >= s.factor) scale = &s;
  }
  const double shown = value / scale->factor;
  const bool whole = shown == 0 || (scale->factor == 1 && digits <= kDefaultDigits);
  const int decimals = whole ? 0 : std::max(0, digits - whole_digits(std::abs(shown)));
  return fmt::format("{:.{}f} {}", shown, decimals, scale->unit);
}

constexpr std::array kTimes = {Scale{1, "ns"}, Scale{1e3, "us"}, Scale{1e6, "ms"}, Scale{1e9, "s"}};
constexpr std::array kBytes = {Scale{1, "B"}, Scale{1e3, "kB"}, Scale{1e6, "MB"}, Scale{1e9, "GB"}, Scale{1e12, "TB"}};
constexpr std::array kRates = {Scale{1, "B/s"}, Scale{1e3, "kB/s"}, Scale{1e6, "MB/s"}, Scale{1e9, "GB/s"},
                               Scale{1e12, "TB/s"}};

std::string share_text(double percent, int digits) {
  const double size = std::abs(percent);
  int decimals = std::max(1, digits - 2);
  if (size > 0 && size < 0.05)
    decimals = std::max(decimals, std::min(6, static_cast<int>(std::ceil(-std::log10(size)))));
  return fmt::format("{:.{}f} %", percent, decimals);
}

/// Of numbers below this the parts tell something: a mean of launches.
constexpr double kWholeFrom = 10'000;

std::string number_text(double number, int digits) {
  if (number == std::floor(number)) return with_separators(fmt::format("{:.0f}", number));
  const int least = std::abs(number) < kWholeFrom ? 1 : 0;
  return with_separators(fmt::format("{:.{}f}", number, std::max(least, digits - whole_digits(std::abs(number)))));
}

}  // namespace

std::string time_text(double nanoseconds) { return scaled(nanoseconds, kTimes); }
std::string bytes_text(double bytes) { return scaled(bytes, kBytes); }
std::string rate_text(double bytes_per_s) { return scaled(bytes_per_s, kRates); }

std::string percent_text(double part, double whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100 * part / whole);
}

std::string amount_text(double number, Unit unit, int digits) {
  switch (unit) {
    case Unit::nanoseconds: return scaled(number, kTimes, digits);
    case Unit::bytes: return scaled(number, kBytes, digits);
    case Unit::percent: return share_text(number, digits);
    case Unit::gigabytes_per_second: return scaled(number * 1e9, kRates, digits);
    default: return number_text(number, digits);
  }
}

std::string counted(int64_t count, std::string_view noun) {
  if (count != 1 && noun.ends_with("py"))
    return fmt::format("{} {}ies", count_text(count), noun.substr(0, noun.size() - 1));
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
