#include "api/moment.h"

#include <array>
#include <optional>
#include <utility>

#include "base/text/calendar.h"
#include "base/text/decimal.h"
#include "base/time_units.h"

namespace sonde::api {
namespace {

constexpr int kNano = 9;
constexpr size_t kSecondsText = 19;  ///< "2026-11-22T04:00:00"
constexpr size_t kOffsetText = 6;    ///< "+01:00"

/// 100 years: what is longer is a mistake, and no product of it leaves int64.
constexpr int64_t kLongest_s = 100LL * 366 * 86400;
/// Since 1970. From the earliest moment to this it is less than int64 nanoseconds.
constexpr int64_t kLatest_s = 2 * kLongest_s;

std::optional<int64_t> unit_s(char letter) {
  static constexpr std::array<std::pair<char, int64_t>, 5> kUnits = {
      {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}}};
  for (const auto& [name, seconds] : kUnits) {
    if (name == letter) return seconds;
  }
  return std::nullopt;
}

std::optional<int64_t> before_now(std::string_view text, int64_t now_ns) {
  if (text.empty()) return std::nullopt;
  const auto unit = unit_s(text.back());
  const auto count = scaled_decimal(text.substr(0, text.size() - 1), 3);
  if (!unit || !count || *count < 0 || *count / 1000 > kLongest_s / *unit) return std::nullopt;
  return now_ns - *count * *unit * (kNsPerSecond / 1000);
}

/// "Z" or "+01:00" in seconds.
std::optional<int64_t> offset_s(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != kOffsetText || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const auto hours = integer_of<unsigned>(text.substr(1, 2));
  const auto minutes = integer_of<unsigned>(text.substr(4, 2));
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const auto seconds = int64_t{*hours} * 3600 + int64_t{*minutes} * 60;
  return text[0] == '-' ? -seconds : seconds;
}

/// ".5" in nanoseconds; 0 for no text.
std::optional<int64_t> fraction_ns(std::string_view text) {
  if (text.empty()) return 0;
  if (text.size() < 2 || text[0] != '.' || text.find_first_not_of("0123456789", 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return scaled_decimal("0" + std::string(text), kNano);
}

std::optional<int64_t> rfc_3339(std::string_view text) {
  if (text.size() <= kSecondsText) return std::nullopt;
  const std::string_view rest = text.substr(kSecondsText);
  const size_t zone = rest.find_first_of("Zz+-");
  const auto seconds = parse_moment(text.substr(0, kSecondsText));
  if (zone == std::string_view::npos || !seconds || *seconds < 0 || *seconds > kLatest_s) return std::nullopt;
  const auto fraction = fraction_ns(rest.substr(0, zone));
  const auto offset = offset_s(rest.substr(zone));
  if (!fraction || !offset) return std::nullopt;
  return (*seconds - *offset) * kNsPerSecond + *fraction;
}

std::optional<int64_t> since_1970(std::string_view text) {
  const auto moment_ns = scaled_decimal(text, kNano);
  return moment_ns && *moment_ns / kNsPerSecond <= kLatest_s ? moment_ns : std::nullopt;
}

}  // namespace

Result<int64_t> moment_of_text(std::string_view text, int64_t now_ns) {
  if (text == "now") return now_ns;
  std::optional<int64_t> moment_ns;
  if (text.starts_with('-')) {
    moment_ns = before_now(text.substr(1), now_ns);
  } else {
    moment_ns = rfc_3339(text);
    if (!moment_ns) moment_ns = since_1970(text);
  }
  if (moment_ns) return *moment_ns;
  return fail(
      "must be a timestamp: RFC 3339 (2026-11-22T04:00:00Z), seconds since 1970, 'now', or relative to now (-90s, "
      "-15m, -1h, -7d)");
}

}  // namespace sonde::api
