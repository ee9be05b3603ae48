#include "base/text/byte_size.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include <fmt/format.h>

#include "base/text/decimal.h"

namespace sonde {
namespace {

struct Unit {
  std::string_view name;
  int64_t bytes;
};

constexpr auto kByteUnits = std::to_array<Unit>({{"B", 1},
                                                 {"KiB", int64_t{1} << 10U},
                                                 {"MiB", int64_t{1} << 20U},
                                                 {"GiB", int64_t{1} << 30U},
                                                 {"TiB", int64_t{1} << 40U},
                                                 {"KB", 1'000},
                                                 {"MB", 1'000'000},
                                                 {"GB", 1'000'000'000},
                                                 {"TB", 1'000'000'000'000}});
constexpr size_t kBinaryUnits = 5;

}  // namespace

std::optional<int64_t> bytes_of_text(std::string_view text) {
  constexpr double kMost = 9.0e18;
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string_view name = text.substr(digits);
  if (name.starts_with(' ')) name.remove_prefix(1);
  const auto* const unit = std::ranges::find(kByteUnits, name, &Unit::name);
  if (digits == 0 || (unit == kByteUnits.end() && !name.empty())) return std::nullopt;
  const std::string_view number = text.substr(0, digits);
  const int64_t factor = name.empty() ? 1 : unit->bytes;
  if (const auto whole = integer_of<int64_t>(number); whole && factor == 1) return whole;
  const auto value = real_of(number);
  if (!value || *value * static_cast<double>(factor) > kMost) return std::nullopt;
  const double bytes = *value * static_cast<double>(factor);
  return bytes == std::floor(bytes) ? std::optional(static_cast<int64_t>(bytes)) : std::nullopt;
}

std::string byte_size_text(int64_t bytes) {
  for (const Unit& unit : kByteUnits | std::views::take(kBinaryUnits) | std::views::reverse) {
    if (unit.bytes > 1 && bytes != 0 && bytes % unit.bytes == 0)
      return fmt::format("{}{}", bytes / unit.bytes, unit.name);
  }
  return fmt::format("{}", bytes);
}

}  // namespace sonde
