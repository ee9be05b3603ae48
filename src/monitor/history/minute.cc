#include "monitor/history/minute.h"

#include <algorithm>
#include <cmath>

namespace sonde::monitor::history {
namespace {

constexpr unsigned kBits = 7;
constexpr uint64_t kMore = 0x80;
// Low bits of a value's key.
constexpr uint64_t kConstant = 1;  ///< minimum, mean and maximum are one number
constexpr uint64_t kOwnCount = 2;  ///< it was there in fewer samples than the minute has
constexpr unsigned kKeyShift = 2;

void put(std::string& bytes, uint64_t number) {
  while (number >= kMore) {
    bytes += static_cast<char>(number | kMore);
    number >>= kBits;
  }
  bytes += static_cast<char>(number);
}

uint64_t zigzag(int64_t number) { return (static_cast<uint64_t>(number) << 1U) ^ static_cast<uint64_t>(number >> 63); }
int64_t unzigzag(uint64_t number) { return static_cast<int64_t>(number >> 1U) ^ -static_cast<int64_t>(number & 1U); }

/// Takes integers from the front; `fine` is false once one was cut off.
struct Reader {
  std::string_view bytes;
  bool fine = true;

  uint64_t next() {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += kBits) {
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      number |= (byte & (kMore - 1)) << shift;
      if ((byte & kMore) == 0) return number;
    }
    fine = false;
    return 0;
  }
};

void pack_value(std::string& bytes, const Summary& value, const Stored& row, int64_t samples) {
  const int64_t low = std::llround(value.minimum * row.scale);
  const int64_t high = std::max<int64_t>(low, std::llround(value.maximum * row.scale));
  const double exact = value.sum / static_cast<double>(value.count) * row.scale;
  const int64_t mean = std::clamp<int64_t>(std::llround(exact), low, high);
  const uint64_t flags = (low == high ? kConstant : 0) | (value.count != samples ? kOwnCount : 0);
  put(bytes, static_cast<uint64_t>(row.number) << kKeyShift | flags);
  if ((flags & kOwnCount) != 0) put(bytes, static_cast<uint64_t>(value.count));
  put(bytes, zigzag(low));
  if (low == high) return;
  put(bytes, static_cast<uint64_t>(mean - low));
  put(bytes, static_cast<uint64_t>(high - low));
}

Summary unpack_value(Reader& reader, uint64_t flags, double scale, int64_t samples) {
  Summary value;
  value.count = (flags & kOwnCount) != 0 ? static_cast<int64_t>(reader.next()) : samples;
  const int64_t low = unzigzag(reader.next());
  const bool constant = (flags & kConstant) != 0;
  const int64_t mean = constant ? low : low + static_cast<int64_t>(reader.next());
  const int64_t high = constant ? low : low + static_cast<int64_t>(reader.next());
  value.minimum = static_cast<double>(low) / scale;
  value.maximum = static_cast<double>(high) / scale;
  value.sum = static_cast<double>(mean) / scale * static_cast<double>(value.count);
  return value;
}

}  // namespace

void Summary::add(double value) {
  minimum = count == 0 ? value : std::min(minimum, value);
  maximum = count == 0 ? value : std::max(maximum, value);
  sum += value;
  ++count;
}

void Summary::add(const Summary& other) {
  if (other.count == 0) return;
  minimum = count == 0 ? other.minimum : std::min(minimum, other.minimum);
  maximum = count == 0 ? other.maximum : std::max(maximum, other.maximum);
  sum += other.sum;
  count += other.count;
}

void Minute::add(const Values& sample) {
  for (size_t i = 0; i < kValues; ++i) {
    if (!std::isnan(sample.at(i))) values.at(i).add(static_cast<double>(sample.at(i)));
  }
}

void Minute::add(const Minute& other) {
  for (size_t i = 0; i < kValues; ++i) values.at(i).add(other.values.at(i));
}

std::string pack(const Minute& minute) {
  int64_t samples = 0;
  for (const Summary& value : minute.values) samples = std::max(samples, value.count);
  std::string bytes;
  put(bytes, static_cast<uint64_t>(samples));
  for (size_t i = 0; i < kValues; ++i) {
    if (minute.values.at(i).count > 0) pack_value(bytes, minute.values.at(i), stored(i), samples);
  }
  return bytes;
}

std::optional<Minute> unpack(int64_t minute, std::string_view bytes) {
  Minute result{.minute = minute, .values = {}};
  Reader reader{bytes};
  const auto samples = static_cast<int64_t>(reader.next());
  while (reader.fine && !reader.bytes.empty()) {
    const uint64_t key = reader.next();
    const auto place = value_of_number(static_cast<int64_t>(key >> kKeyShift));
    const Summary value =
        unpack_value(reader, key & (kConstant | kOwnCount), place ? stored(*place).scale : 1, samples);
    if (place) result.values.at(*place) = value;
  }
  if (!reader.fine) return std::nullopt;
  return result;
}

}  // namespace sonde::monitor::history
