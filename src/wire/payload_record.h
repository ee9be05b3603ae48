#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/record.h"

/// Binary payloads of NVTX events and what describes them: records of kinds 12 to 14. Types, flags and numbers of
/// schemas are NVTX's own.
namespace sonde::wire {

/// A schema of `domain`, or an enumeration. Followed by its text: the name.
struct PayloadSchemaBody {
  uint64_t schema;
  uint64_t type;  ///< 0 of an enumeration
  uint64_t flags;
  uint64_t entries;
  uint64_t bytes;  ///< of a payload, or of a value of the enumeration; 0 where that is unknown
  uint64_t align;
  uint16_t text_bytes;
  uint16_t is_enum;
  uint32_t reserved;
};
static_assert(sizeof(PayloadSchemaBody) == 56);

/// An entry of such a schema of `domain`. Followed by its text: the name, and behind it the description.
struct PayloadEntryBody {
  uint64_t schema;
  uint64_t type;  ///< of an enumeration: the value
  uint64_t flags;
  uint64_t detail;  ///< length of an array, or what else NVTX's arrayOrUnionDetail says
  uint64_t offset;
  uint32_t index;
  uint16_t text_bytes;
  uint16_t name_bytes;
};
static_assert(sizeof(PayloadEntryBody) == 48);

/// The payload of the event that its thread wrote last before it: of a pop or an end, of the range that ended. Followed
/// by its bytes, filled up to 8.
struct PayloadBody {
  uint64_t schema;
  uint32_t bytes;
  uint32_t reserved;
};
static_assert(sizeof(PayloadBody) == 16);

/// With the longest event before it, it fits into a chunk.
inline constexpr uint32_t kMaxPayload = 3072;

constexpr bool is_payload_record(Kind kind) { return kind >= Kind::payload_schema && kind <= Kind::payload; }

/// Whether the body of such a record, all behind its head, is whole; says how long the text at its end is.
[[nodiscard]] bool is_whole_payload_record(Kind kind, std::span<const std::byte> body, uint16_t& text_bytes);

}  // namespace sonde::wire
