#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/nvtx_payload_abi.h"
#include "wire/payload_record.h"

/// Binary payloads of events. One is kept of each: the first that is not there only for another to point to.
namespace sonde::inject {

struct Payload {
  uint64_t schema = 0;  ///< 0: there is none
  const void* data = nullptr;
  uint32_t bytes = 0;
};

/// Those that are left out are counted.
[[nodiscard]] Payload payload_of(const nvtx::PayloadData* all, size_t count) noexcept;

inline uint32_t payload_record_bytes(const Payload& payload) noexcept {
  if (payload.schema == 0) return 0;
  return static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof(wire::PayloadBody)) + wire::padded(payload.bytes);
}

/// Of a payload that there is, behind the record of its event.
void put_payload(std::byte* at, const Payload& payload, int64_t time) noexcept;

/// They give the number of the schema, and tell the recorder of it.
uint64_t register_schema(uint16_t domain, const nvtx::SchemaAttributes& schema) noexcept;
uint64_t register_enum(uint16_t domain, const nvtx::EnumAttributes& enumeration) noexcept;

}  // namespace sonde::inject
