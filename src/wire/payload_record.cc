#include "wire/payload_record.h"

#include "wire/whole_body.h"

namespace sonde::wire {

bool is_whole_payload_record(Kind kind, std::span<const std::byte> body, uint16_t& text_bytes) {
  text_bytes = 0;
  switch (kind) {
    case Kind::payload_schema: {
      PayloadSchemaBody schema{};
      return ends_with_text(body, schema, text_bytes);
    }
    case Kind::payload_entry: {
      PayloadEntryBody entry{};
      return ends_with_text(body, entry, text_bytes) && entry.name_bytes <= text_bytes;
    }
    case Kind::payload: {
      PayloadBody payload{};
      return take(body, payload) && payload.bytes <= kMaxPayload &&
             body.size() == sizeof payload + padded(payload.bytes);
    }
    default: return false;
  }
}

}  // namespace sonde::wire
