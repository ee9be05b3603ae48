#include "importers/pytorch/tokens.h"

#include <algorithm>

#include "base/files/json_scan.h"
#include "base/text/decimal.h"

namespace sonde::pytorch {

std::optional<int64_t> whole(std::string_view token) {
  const std::string_view text = without_quotes(token);
  if (const auto value = integer_of<int64_t>(text)) return value;
  const auto large = integer_of<uint64_t>(text);
  if (!large) return std::nullopt;
  return static_cast<int64_t>(*large);
}

int32_t whole32(std::string_view token) {
  const auto value = whole(token);
  const bool fits = value && *value > kUnknown32 && *value <= std::numeric_limits<int32_t>::max();
  return fits ? static_cast<int32_t>(*value) : kUnknown32;
}

uint32_t id32(std::string_view token, uint32_t otherwise) {
  const auto value = whole(token);
  return value && *value >= 0 && *value < kNone ? static_cast<uint32_t>(*value) : otherwise;
}

namespace {

constexpr int64_t kFarthest = 4'000'000'000'000'000'000;

}  // namespace

std::optional<int64_t> time_of(std::string_view token) {
  const auto time = nanoseconds_of_us(without_quotes(token));
  return time && *time <= kFarthest && *time >= -kFarthest ? time : std::nullopt;
}

std::optional<int64_t> end_of(int64_t start, std::string_view duration) {
  const auto length = time_of(duration);
  if (!length || start + *length > kFarthest || start + *length < -kFarthest) return std::nullopt;
  return start + *length;
}

Dim3 dimensions(std::string_view token) {
  Dim3 dim{};
  size_t at = 0;
  for (uint32_t& d : dim) {
    at = token.find_first_of("0123456789", at);
    if (at == kNowhere) return {};
    const size_t end = std::min(token.find_first_not_of("0123456789", at), token.size());
    d = id32(token.substr(at, end - at), 0);
    at = end;
  }
  return dim;
}

int64_t trailing_number(std::string_view token) {
  const std::string_view text = without_quotes(token);
  const size_t before = text.find_last_not_of("0123456789");
  return integer_of<int64_t>(text.substr(before == kNowhere ? 0 : before + 1)).value_or(-1);
}

}  // namespace sonde::pytorch
