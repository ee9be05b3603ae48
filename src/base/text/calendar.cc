#include "base/text/calendar.h"

#include <array>
#include <chrono>

#include <fmt/format.h>

namespace sonde {

std::string moment_text(int64_t seconds_since_1970, char between) {
  namespace chrono = std::chrono;
  const chrono::sys_seconds time{chrono::seconds{seconds_since_1970}};
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}{}{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), between,
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string minute_text(int64_t seconds_since_1970) {
  constexpr size_t kToMinute = 16;  // of "2023-10-16 23:22:18"
  return moment_text(seconds_since_1970, ' ').substr(0, kToMinute);
}

std::optional<int64_t> parse_moment(std::string_view text) {
  namespace chrono = std::chrono;
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() != kForm.size()) return std::nullopt;
  std::array<unsigned, 6> numbers{};
  size_t number = 0;
  for (size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !is_digit : text[i] != kForm[i]) return std::nullopt;
    if (is_digit) {
      numbers[number] = numbers[number] * 10 + static_cast<unsigned>(text[i] - '0');
    } else {
      ++number;
    }
  }
  const chrono::year_month_day date(chrono::year(static_cast<int>(numbers[0])), chrono::month(numbers[1]),
                                    chrono::day(numbers[2]));
  if (!date.ok() || numbers[3] >= 24 || numbers[4] >= 60 || numbers[5] >= 60) return std::nullopt;
  const chrono::sys_seconds time =
      chrono::sys_days(date) + chrono::hours(numbers[3]) + chrono::minutes(numbers[4]) + chrono::seconds(numbers[5]);
  return time.time_since_epoch().count();
}

}  // namespace sonde
