#include "gate/record/versions.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace sonde::gate {
namespace {

std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string driver_version(std::string_view text) {
  constexpr int64_t kLeast = 10'000'000;  // shorter ones are no such number: 100.00.00
  const auto number = number_of(text);
  if (!number || *number < kLeast) return std::string(text);
  return fmt::format("{}.{:02}.{:02}", *number / 100'000, *number / 100 % 1000, *number % 100);
}

std::string cuda_version(std::string_view text) {
  constexpr int64_t kLeast = 1000;
  const auto number = number_of(text);
  if (!number || *number < kLeast) return std::string(text);
  return fmt::format("{}.{}", *number / 1000, *number % 1000 / 10);
}

}  // namespace sonde::gate
