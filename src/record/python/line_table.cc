#include "record/python/line_table.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace sonde::record::python {
namespace {

constexpr int64_t kInstructionBytes = 2;

/// Lines of damaged tables may be any number.
int32_t as_line(int64_t line) {
  const bool fits = line > 0 && line <= std::numeric_limits<int32_t>::max();
  return fits ? static_cast<int32_t>(line) : 0;
}

/// Pairs: so many bytes further on the line is so many lines further on.
int32_t line_of_lnotab(std::span<const std::byte> table, int64_t line, int64_t offset) {
  int64_t address = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    address += static_cast<uint8_t>(table[i]);
    if (address > offset) break;
    line += static_cast<int8_t>(table[i + 1]);
  }
  return as_line(line);
}

/// Pairs: the next so many bytes are of the line so many lines further on.
int32_t line_of_3_10(std::span<const std::byte> table, int64_t line, int64_t offset) {
  constexpr int kNoLine = -128;
  int64_t end = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    const int step = static_cast<int8_t>(table[i + 1]);
    end += static_cast<uint8_t>(table[i]);
    if (step != kNoLine) line += step;
    if (offset < end) return step == kNoLine ? 0 : as_line(line);
  }
  return 0;
}

/// The entries of 3.11: a head with the kind and the number of instructions, then numbers by kind.
class Locations {
 public:
  explicit Locations(std::span<const std::byte> table) : rest_(table) {}

  struct Entry {
    int64_t bytes = 0;
    int64_t step = 0;
    bool has_line = false;
  };

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  Entry next() {
    constexpr unsigned kCountMask = 7;
    constexpr unsigned kKindShift = 3;
    constexpr unsigned kKindMask = 15;
    const unsigned head = byte();
    const unsigned kind = head >> kKindShift & kKindMask;
    Entry entry{.bytes = (int64_t{head & kCountMask} + 1) * kInstructionBytes};
    entry.has_line = kind != kNone;
    entry.step = step_of(kind);
    return entry;
  }

 private:
  static constexpr unsigned kOneLine = 10;  // to 12: 0 to 2 lines further on, two columns behind it
  static constexpr unsigned kNoColumns = 13;
  static constexpr unsigned kLong = 14;
  static constexpr unsigned kNone = 15;

  int64_t step_of(unsigned kind) {
    if (kind < kOneLine) return skip(1), 0;
    if (kind < kNoColumns) return skip(2), kind - kOneLine;
    if (kind == kNone) return 0;
    const int64_t step = signed_number();
    constexpr int kMoreOfLong = 3;  // the last line and both columns
    for (int i = 0; kind == kLong && i < kMoreOfLong; ++i) number();
    return step;
  }

  unsigned byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<unsigned>(rest_.front());
    rest_ = rest_.subspan(1);
    return value;
  }

  void skip(size_t bytes) { rest_ = rest_.subspan(std::min(bytes, rest_.size())); }

  uint32_t number() {
    constexpr unsigned kBits = 6;
    constexpr unsigned kValueMask = 63;
    constexpr unsigned kMore = 64;
    uint32_t value = 0;
    for (unsigned shift = 0; !rest_.empty(); shift += kBits) {
      const unsigned part = byte();
      if (shift < std::numeric_limits<uint32_t>::digits) value |= (part & kValueMask) << shift;
      if ((part & kMore) == 0) break;
    }
    return value;
  }

  int64_t signed_number() {
    const uint32_t value = number();
    const auto size = static_cast<int64_t>(value >> 1U);
    return (value & 1U) != 0 ? -size : size;
  }

  std::span<const std::byte> rest_;
};

int32_t line_of_locations(std::span<const std::byte> table, int64_t line, int64_t offset) {
  Locations locations(table);
  int64_t end = 0;
  while (!locations.at_end()) {
    const Locations::Entry entry = locations.next();
    end += entry.bytes;
    line += entry.step;
    if (offset < end) return entry.has_line ? as_line(line) : 0;
  }
  return 0;
}

}  // namespace

int32_t line_of(int minor, std::span<const std::byte> table, int32_t first_line, int64_t offset) {
  if (offset < 0) return as_line(first_line);
  constexpr int kFirstRanges = 10;
  constexpr int kFirstLocations = 11;
  if (minor < kFirstRanges) return line_of_lnotab(table, first_line, offset);
  if (minor < kFirstLocations) return line_of_3_10(table, first_line, offset);
  return line_of_locations(table, first_line, offset);
}

}  // namespace sonde::record::python
