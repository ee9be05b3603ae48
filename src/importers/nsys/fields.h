#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <protozero/types.hpp>

#include "base/files/protobuf.h"
#include "importers/nsys/ids.h"

/// How fields of a report's messages are read. A field whose wire type is another than expected is skipped like one
/// that nobody knows: switch over tag_and_type() with these.
namespace sonde::nsys {

constexpr uint32_t number_field(protozero::pbf_tag_type tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::varint);
}

/// Texts and messages.
constexpr uint32_t bytes_field(protozero::pbf_tag_type tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::length_delimited);
}

inline std::string_view text_of(Message& m) { return m.get_view(); }

inline Message message_of(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

/// Calls `f` with each message that field `tag` holds.
void each_message(Message m, uint32_t tag, auto&& f) {
  while (m.next(tag, protozero::pbf_wire_type::length_delimited)) f(m.get_message());
}

/// Negative numbers are stored as ten bytes of varint.
inline int64_t integer_of(Message& m) { return static_cast<int64_t>(m.get_uint64()); }

/// The number as the column's type; `absent` where it does not fit.
template <typename T>
T fit(int64_t value, T absent) {
  return value != kUnknown && std::in_range<T>(value) ? static_cast<T>(value) : absent;
}

/// An id of the file's string table; kNone where there is none.
inline uint32_t string_id(int64_t id) {
  return id >= 0 && id < int64_t{kInlineText} ? static_cast<uint32_t>(id) : kNone;
}

}  // namespace sonde::nsys
