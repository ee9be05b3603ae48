#include "base/text/calendar.h"

#include <array>
#include <chrono>

#include <fmt/format.h>

namespace sonde {

std::string moment_text(int64_t seconds_since_1970, char between) {
  using namespace std::chrono;
  const sys_seconds time{seconds{seconds_since_1970}};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}{}{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), between,
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::optional<int64_t> parse_moment(std::string_view text) {
  using namespace std::chrono;
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
  const year_month_day date(year(static_cast<int>(numbers[0])), month(numbers[1]), day(numbers[2]));
  if (!date.ok() || numbers[3] >= 24 || numbers[4] >= 60 || numbers[5] >= 60) return std::nullopt;
  const sys_seconds time = sys_days(date) + hours(numbers[3]) + minutes(numbers[4]) + seconds(numbers[5]);
  return time.time_since_epoch().count();
}

}  // namespace sonde
