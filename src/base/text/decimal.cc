#include "base/text/decimal.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sonde {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A decimal number taken apart: digits, and where the point is in them once the exponent is applied.
class Decimal {
 public:
  /// False where the text is not a number.
  bool read(std::string_view text) {
    negative_ = take(text, '-');
    if (!negative_) take(text, '+');
    const bool whole = read_digits(text, 0);
    const bool fraction = take(text, '.') && read_digits(text, -1);
    return (whole || fraction) && read_exponent(text) && text.empty();
  }

  /// The number times 10^power.
  [[nodiscard]] std::optional<int64_t> times_ten_to(int power) const {
    const int64_t shift = exponent_ + power;
    const auto magnitude = shift >= 0 ? raised(shift) : lowered(-shift);
    if (!magnitude || overflow_) return std::nullopt;
    constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (*magnitude > kMost) return std::nullopt;
    const auto value = static_cast<int64_t>(*magnitude);
    return negative_ ? -value : value;
  }

 private:
  static bool take(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
  }

  /// Appends digits; each moves the exponent by `step` (0 before the point, -1 behind it).
  bool read_digits(std::string_view& text, int step) {
    const size_t before = text.size();
    while (!text.empty() && is_digit(text.front())) {
      push(static_cast<uint64_t>(text.front() - '0'), step);
      text.remove_prefix(1);
    }
    return text.size() != before;
  }

  void push(uint64_t digit, int step) {
    constexpr uint64_t kRoom = (std::numeric_limits<uint64_t>::max() - 9) / 10;
    if (digits_ <= kRoom && !dropped_) {
      digits_ = digits_ * 10 + digit;
      exponent_ += step;
    } else if (step == 0) {
      overflow_ = true;
    } else {
      dropped_ = true;  // a fraction finer than 10^-19 of the number cannot move its nanosecond
    }
  }

  bool read_exponent(std::string_view& text) {
    if (!take(text, 'e') && !take(text, 'E')) return true;
    const bool minus = take(text, '-');
    if (!minus) take(text, '+');
    const size_t before = text.size();
    int64_t value = 0;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
      if (value < 100000) value = value * 10 + (text.front() - '0');
    }
    exponent_ += minus ? -value : value;
    return text.size() != before;
  }

  [[nodiscard]] std::optional<uint64_t> raised(int64_t shift) const {
    uint64_t value = digits_;
    for (; shift > 0 && value != 0; --shift) {
      if (__builtin_mul_overflow(value, uint64_t{10}, &value)) return std::nullopt;
    }
    return value;
  }

  [[nodiscard]] std::optional<uint64_t> lowered(int64_t shift) const {
    uint64_t value = digits_;
    for (; shift > 1 && value != 0; --shift) value /= 10;
    return value / 10 + (value % 10 >= 5 ? 1 : 0);
  }

  uint64_t digits_ = 0;
  int64_t exponent_ = 0;
  bool negative_ = false;
  bool overflow_ = false;
  bool dropped_ = false;
};

/// Quick for what profiles hold: up to 19 digits and perhaps a point, nothing finer than 10^-power.
std::optional<int64_t> plain_decimal(std::string_view text, int power) {
  constexpr size_t kMostDigits = 19;  // surely in 64 bits
  if (text.empty() || text.size() > kMostDigits + 1 || !is_digit(text.front())) return std::nullopt;
  uint64_t value = 0;
  int behind_point = -1;  // digits there; negative before it
  for (const char c : text) {
    if (is_digit(c)) {
      value = value * 10 + static_cast<uint64_t>(c - '0');
      if (behind_point >= 0) ++behind_point;
    } else if (c == '.' && behind_point < 0) {
      behind_point = 0;
    } else {
      return std::nullopt;
    }
  }
  if (behind_point < 0 && text.size() > kMostDigits) return std::nullopt;
  for (int shift = power - std::max(behind_point, 0); shift != 0; --shift) {
    if (shift < 0 || __builtin_mul_overflow(value, uint64_t{10}, &value)) return std::nullopt;
  }
  return std::in_range<int64_t>(value) ? std::optional(static_cast<int64_t>(value)) : std::nullopt;
}

}  // namespace

std::optional<int64_t> scaled_decimal(std::string_view text, int power) {
  if (const auto value = plain_decimal(text, power)) return value;
  Decimal decimal;
  if (!decimal.read(text)) return std::nullopt;
  return decimal.times_ten_to(power);
}

std::optional<double> real_of(std::string_view text) { return integer_of<double>(text); }

}  // namespace sonde
