#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "wire/record.h"

namespace sonde::wire {

/// A record taken apart. What its kind does not have is zero; the text lies in the bytes that were read.
struct Record {
  RecordHead head;
  uint64_t id = 0;      ///< of a range or a definition
  uint32_t string = 0;  ///< registered; 0: the text counts
  uint32_t parent = 0;
  uint32_t cost_ns = 0;
  bool has_color = false;
  AttributeBody attributes{};
  uint8_t payload_kind = 0;
  int64_t end = 0;
  int64_t result = 0;
  std::string_view text;
  /// Of code_mapping, process_rank, and of the kinds of cuda_record.h, kernel_record.h, payload_record.h and
  /// nccl_record.h: as there, with what follows it but for the former's text.
  std::span<const std::byte> body;
};

/// Reads records one behind the other. Any bytes may come: what is no record ends the reading.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  /// False at the end, and at the first bytes that are no record.
  [[nodiscard]] bool next(Record& record);
  /// Bytes that were not read: 0 at the end of whole records.
  [[nodiscard]] size_t left() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace sonde::wire
