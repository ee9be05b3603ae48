#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sonde {

/// A decimal number as text ("12", "-0.5", "1.5e3") times 10^`power`, exact, rounded half away from zero to an integer.
/// Nothing passes through a double. Empty where the text is not a whole JSON number or the result leaves int64.
[[nodiscard]] std::optional<int64_t> scaled_decimal(std::string_view text, int power);

/// Microseconds as decimal text, to the nanosecond.
[[nodiscard]] inline std::optional<int64_t> nanoseconds_of_us(std::string_view text) { return scaled_decimal(text, 3); }

/// The whole text as an integer of type T, or nothing.
template <typename T>
[[nodiscard]] std::optional<T> integer_of(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// The whole text as a real number, or nothing.
[[nodiscard]] std::optional<double> real_of(std::string_view text);

}  // namespace sonde
