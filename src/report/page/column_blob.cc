#include "report/page/column_blob.h"

#include <bit>

namespace sonde {
namespace {

void append_varint(std::string& bytes, uint64_t value) {
  while (value >= 128) {
    bytes.push_back(static_cast<char>(value | 128U));
    value >>= 7U;
  }
  bytes.push_back(static_cast<char>(value));
}

uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1U) ^ static_cast<uint64_t>(value >> 63);  // NOLINT(hicpp-signed-bitwise)
}

}  // namespace

void ColumnBlob::varints(std::string_view name, std::span<const int64_t> values) {
  const size_t offset = bytes_.size();
  for (const int64_t value : values) append_varint(bytes_, static_cast<uint64_t>(value));
  add_entry(name, "varint", values.size(), offset);
}

void ColumnBlob::deltas(std::string_view name, std::span<const int64_t> values) {
  const size_t offset = bytes_.size();
  int64_t before = 0;
  for (const int64_t value : values) {
    append_varint(bytes_, zigzag(value - before));
    before = value;
  }
  add_entry(name, "delta", values.size(), offset);
}

void ColumnBlob::reals(std::string_view name, std::span<const double> values) {
  const size_t offset = bytes_.size();
  for (const double value : values) {
    auto bits = std::bit_cast<uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8U) bytes_.push_back(static_cast<char>(bits));
  }
  add_entry(name, "f64", values.size(), offset);
}

nlohmann::ordered_json ColumnBlob::finish(Blobs& blobs) && {
  nlohmann::ordered_json place = blobs.add(std::move(bytes_));
  place["columns"] = std::move(entries_);
  return place;
}

void ColumnBlob::add_entry(std::string_view name, std::string_view encoding, size_t count, size_t offset) {
  entries_.push_back({{"name", name},
                      {"encoding", encoding},
                      {"count", count},
                      {"offset", offset},
                      {"bytes", bytes_.size() - offset}});
}

}  // namespace sonde
