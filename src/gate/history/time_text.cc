#include "gate/history/time_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/text/calendar.h"
#include "base/text/decimal.h"

namespace sonde::gate {
namespace {

constexpr int64_t kMinute = 60;
constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 86400;

/// A text that is read from its start; a step that does not fit leaves it broken for good.
class TimeReading {
 public:
  explicit TimeReading(std::string_view text) : rest_(text) {}

  int number(size_t most_digits) {
    int value = 0;
    size_t digits = 0;
    while (digits < most_digits && digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') {
      value = value * 10 + (rest_[digits++] - '0');
    }
    broken_ = broken_ || digits == 0;
    rest_.remove_prefix(digits);
    return value;
  }

  /// The next character where it is one of these; 0, with nothing read, where it is not.
  char one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return 0;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  void demand(std::string_view characters) { broken_ = one_of(characters) == 0 || broken_; }
  void skip_digits() { rest_.remove_prefix(std::min(rest_.find_first_not_of("0123456789"), rest_.size())); }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool is_right() const { return !broken_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool broken_ = false;
};

struct ClockText {
  int hour = 0;
  int minute = 0;
  int second = 0;
};

ClockText read_clock(TimeReading& reading) {
  ClockText clock;
  clock.hour = reading.number(2);
  reading.demand(":");
  clock.minute = reading.number(2);
  if (reading.one_of(":") != 0) clock.second = reading.number(2);
  if (reading.one_of(".,") != 0) reading.skip_digits();
  return clock;
}

/// Seconds that local time is ahead of UTC: "Z", "+0100", "+01:00", "+01", or nothing.
int64_t read_offset(TimeReading& reading) {
  reading.one_of(" ");
  if (reading.at_end() || reading.one_of("Zz") != 0) return 0;
  const char sign = reading.one_of("+-");
  if (sign == 0) reading.demand("+-");
  int64_t seconds = reading.number(2) * kHour;
  reading.one_of(":");
  if (!reading.at_end()) seconds += reading.number(2) * kMinute;
  return sign == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<int64_t> parse_time(std::string_view text) {
  constexpr size_t kDayDigits = 8;  // fewer are a year or a mistake, not seconds
  if (text.size() > kDayDigits && text.find_first_not_of("0123456789.") == std::string_view::npos) {
    const auto seconds = integer_of<int64_t>(text.substr(0, text.find('.')));
    constexpr int64_t kMost = 253402300799;  // the end of the year 9999
    if (seconds && *seconds <= kMost && std::ranges::count(text, '.') <= 1) return seconds;
  }
  TimeReading reading(text);
  const int year = reading.number(4);
  reading.demand("-./");
  const int month = reading.number(2);
  reading.demand("-./");
  const int day = reading.number(2);
  ClockText clock;
  int64_t offset = 0;
  if (reading.one_of("Tt ") != 0) {
    clock = read_clock(reading);
    offset = read_offset(reading);
  }
  if (!reading.is_right()) return std::nullopt;
  const auto moment = parse_moment(
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", year, month, day, clock.hour, clock.minute, clock.second));
  if (!moment) return std::nullopt;
  return *moment - offset;
}

std::optional<int64_t> parse_age(std::string_view text) {
  struct AgeUnit {
    char letter;
    int64_t seconds;
  };
  constexpr auto kUnits = std::to_array<AgeUnit>({{'h', kHour}, {'d', kDay}, {'w', 7 * kDay}});
  if (text.empty()) return std::nullopt;
  const auto number = integer_of<int32_t>(text.substr(0, text.size() - 1));
  if (!number || *number < 0) return std::nullopt;
  for (const AgeUnit& unit : kUnits) {
    if (unit.letter == text.back()) return *number * unit.seconds;
  }
  return std::nullopt;
}

Result<int64_t> moment_or_age(std::string_view text, int64_t now_s, std::string_view option) {
  if (const auto age = parse_age(text)) return now_s - *age;
  if (const auto moment = parse_time(text)) return *moment;
  return fail("{} needs a date such as 2026-01-31 or an age such as 30d, not '{}'", option, text);
}

}  // namespace sonde::gate
