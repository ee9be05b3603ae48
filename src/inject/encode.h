#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "wire/record.h"

/// Records as bytes. Nothing here allocates or fails.
namespace sonde::inject {

struct Text {
  const char* data = "";
  uint16_t bytes = 0;
};

/// As much of a text as a record takes; empty for null. Longer ones are counted.
[[nodiscard]] Text text_of(const char* text) noexcept;

struct Payload;

struct Event {
  wire::Kind kind = wire::Kind::mark;
  uint16_t domain = 0;
  uint16_t level = 0;
  int64_t time = 0;
  uint64_t range = 0;  ///< of a start
  uint32_t string = 0;
  Text text{};
  bool has_attributes = false;
  bool has_color = false;
  uint8_t payload_kind = 0;
  wire::AttributeBody attributes{};
  const Payload* payload = nullptr;  ///< of nvtx_payloads.h; null for none
};

template <typename T>
std::byte* put(std::byte* at, const T& value) noexcept {
  memcpy(at, &value, sizeof value);
  return at + sizeof value;
}

inline std::byte* put_head(std::byte* at, wire::Kind kind, uint32_t bytes, uint16_t domain, uint16_t level,
                           int64_t time) noexcept {
  return put(at, wire::RecordHead{kind, static_cast<uint16_t>(bytes), domain, level, time});
}

/// The bytes that fill it up to 8 are zero.
inline void put_text(std::byte* at, const Text& text) noexcept {
  if (text.bytes == 0) return;
  const uint64_t zero = 0;
  memcpy(at + wire::padded(text.bytes) - sizeof zero, &zero, sizeof zero);
  memcpy(at, text.data, text.bytes);
}

/// Of a record whose body is followed by its text.
template <typename Body>
constexpr uint32_t bytes_with_text(const Text& text) noexcept {
  return static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof(Body)) + wire::padded(text.bytes);
}

/// The part behind the head of such a record; says how long the text is.
template <typename Body>
void put_with_text(std::byte* at, Body body, const Text& text) noexcept {
  body.text_bytes = text.bytes;
  put_text(put(at, body), text);
}

inline uint32_t event_bytes(const Event& event) noexcept {
  uint32_t bytes = sizeof(wire::RecordHead) + sizeof(wire::EventBody) + wire::padded(event.text.bytes);
  if (event.kind == wire::Kind::start) bytes += sizeof(wire::RangeBody);
  if (event.has_attributes) bytes += sizeof(wire::AttributeBody);
  return bytes;
}

inline void encode_event(std::byte* at, const Event& event, uint32_t bytes) noexcept {
  at = put_head(at, event.kind, bytes, event.domain, event.level, event.time);
  if (event.kind == wire::Kind::start) at = put(at, wire::RangeBody{event.range});
  const auto flags =
      static_cast<uint8_t>((event.has_attributes ? wire::kHasAttributes : 0) | (event.has_color ? wire::kHasColor : 0));
  at = put(at, wire::EventBody{event.string, event.text.bytes, flags, event.payload_kind});
  if (event.has_attributes) at = put(at, event.attributes);
  put_text(at, event.text);
}

}  // namespace sonde::inject
