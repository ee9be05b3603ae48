#include "cli/tasks/amounts.h"

#include <chrono>
#include <cmath>
#include <ctime>

#include "base/text/calendar.h"
#include "base/text/decimal.h"
#include "base/text/duration.h"
#include "report/text/plain_text.h"

namespace sonde::tasks {
namespace {

constexpr double kMinute = 60;
constexpr double kHour = 3600;
constexpr double kDay = 86400;
constexpr double kMostSeconds = 1e9;

/// Of the zone of this machine at that moment.
int64_t utc_offset_s(double moment_s) {
  const auto seconds = static_cast<time_t>(moment_s);
  tm parts{};
  localtime_r(&seconds, &parts);
  return parts.tm_gmtoff;
}

}  // namespace

Result<double> parse_seconds(const std::string& text) {
  auto seconds = real_of(text);
  if (!seconds) {
    const auto duration = parse_duration(text);
    if (duration) seconds = static_cast<double>(*duration) / 1e9;
  }
  if (!seconds)
    return fail("'{}' is not a time such as 90s, 30m, 2h or 1h30m; a number alone is in seconds", one_line(text));
  const bool is_time = *seconds > 0 && *seconds <= kMostSeconds;  // no number at all is none
  if (!is_time) return fail("'{}' is not a time above 0", one_line(text));
  return *seconds;
}

std::string seconds_text(std::optional<double> seconds) {
  if (!seconds || !std::isfinite(*seconds) || std::abs(*seconds) > kMostSeconds) return "-";
  const double s = std::max(0.0, *seconds);
  if (s < 10) return fmt::format("{:.1f}s", s);
  if (s < kMinute) return fmt::format("{:.0f}s", std::floor(s));
  const auto whole = static_cast<int64_t>(s);
  if (s < kHour) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  if (s < kDay) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  return fmt::format("{}d{:02}h", whole / 86400, whole / 3600 % 24);
}

std::string bytes_text(std::optional<int64_t> bytes) {
  constexpr double kMib = 1 << 20;
  constexpr double kGib = 1 << 30;
  if (!bytes) return "-";
  const auto value = static_cast<double>(*bytes);
  return value >= kGib || value == 0 ? fmt::format("{:.1f} GiB", value / kGib)
                                     : fmt::format("{:.0f} MiB", std::ceil(value / kMib));
}

std::string moment_text_here(std::optional<double> moment_s, double now) {
  if (!moment_s || std::abs(*moment_s) > kMostSeconds * 100) return "-";
  const auto local = [](double moment) { return static_cast<int64_t>(moment) + utc_offset_s(moment); };
  const std::string moment = moment_text(local(*moment_s), ' ');
  const std::string today = moment_text(local(now), ' ');
  constexpr size_t kDayEnd = 11;
  return moment.substr(0, kDayEnd) == today.substr(0, kDayEnd) ? moment.substr(kDayEnd) : moment;
}

double now_s() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

}  // namespace sonde::tasks
