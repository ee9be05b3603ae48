#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/error.h"

/// Protobuf's wire format (https://protobuf.dev/programming-guides/encoding/) without generated code, over protozero.
namespace sonde {

/// The bytes of one protobuf message, for readers that count every nanosecond: its getters only assert wire types, so a
/// tag must be matched together with its type (tag_and_type()).
using Message = protozero::pbf_reader;

/// A field of a message has another wire type than its meaning allows.
struct WrongWireType : protozero::exception {
  [[nodiscard]] const char* what() const noexcept override { return "wrong wire type"; }
};

/// One field of a message as it stands on the wire. The accessors throw WrongWireType where the bytes are of another
/// type: what protozero itself only asserts.
class WireField {
 public:
  explicit WireField(protozero::pbf_reader& reader) : number_(reader.tag()), type_(reader.wire_type()) {
    switch (type_) {
      case protozero::pbf_wire_type::varint: value_ = reader.get_uint64(); break;
      case protozero::pbf_wire_type::fixed64: value_ = reader.get_fixed64(); break;
      case protozero::pbf_wire_type::fixed32: value_ = reader.get_fixed32(); break;
      default: {
        const auto view = reader.get_view();
        bytes_ = {view.data(), view.size()};
      }
    }
  }

  [[nodiscard]] uint32_t number() const { return number_; }
  /// A varint, of any of protobuf's integer types but the zigzag ones.
  [[nodiscard]] uint64_t integer() const { return only(protozero::pbf_wire_type::varint, value_); }
  [[nodiscard]] int64_t signed_integer() const { return static_cast<int64_t>(integer()); }
  [[nodiscard]] uint32_t small() const { return static_cast<uint32_t>(integer()); }
  /// A string, bytes or a message.
  [[nodiscard]] std::string_view bytes() const { return only(protozero::pbf_wire_type::length_delimited, bytes_); }
  /// A float or a double.
  [[nodiscard]] double real() const {
    if (type_ == protozero::pbf_wire_type::fixed32) return std::bit_cast<float>(static_cast<uint32_t>(value_));
    return std::bit_cast<double>(only(protozero::pbf_wire_type::fixed64, value_));
  }

 private:
  template <typename T>
  [[nodiscard]] T only(protozero::pbf_wire_type type, T value) const {
    if (type_ != type) throw WrongWireType();
    return value;
  }

  uint32_t number_;
  protozero::pbf_wire_type type_;
  uint64_t value_ = 0;
  std::string_view bytes_;
};

/// Calls `read(field)` for each field of a message in the order of its bytes. Throws protozero::exception where the
/// bytes are no message.
template <typename Read>
void each_field(std::string_view message, Read&& read) {
  protozero::pbf_reader reader(message.data(), message.size());
  while (reader.next()) read(WireField(reader));
}

/// Runs `walk`, which reads messages of `what`. What protozero throws (a length past the end, a wire type that does not
/// exist, a varint without end) becomes an error here and goes no further.
template <typename Walk>
[[nodiscard]] Status walk_messages(std::string_view what, Walk&& walk) {
  try {
    return std::forward<Walk>(walk)();
  } catch (const protozero::exception& e) {
    return fail("{} is damaged: {}", what, e.what());
  }
}

}  // namespace sonde
