#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/error.h"

/// Protobuf's wire format (https://protobuf.dev/programming-guides/encoding/) without generated code, over protozero.
namespace sonde {

/// A varint of up to eight bytes without a branch a byte, which is what most times are; others are protozero's.
[[nodiscard]] inline uint64_t read_varint(const char*& at, const char* end) {
  if (at != end && *at >= 0) return static_cast<uint64_t>(*at++);
  if (std::endian::native != std::endian::little || end - at < 8) return protozero::decode_varint(&at, end);
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  const uint64_t last = ~word & 0x8080'8080'8080'8080U;  // the first byte without the bit that says "more follows"
  if (last == 0) return protozero::decode_varint(&at, end);
  at += (std::countr_zero(last) + 1) / 8;
  word &= last ^ (last - 1);
  word = (word & 0x007F'007F'007F'007FU) | (word & 0x7F00'7F00'7F00'7F00U) >> 1;
  word = (word & 0x0000'3FFF'0000'3FFFU) | (word & 0x3FFF'0000'3FFF'0000U) >> 2;
  return (word & 0x0FFF'FFFFU) | (word & 0x0FFF'FFFF'0000'0000U) >> 4;
}

/// The bytes of one protobuf message, for readers that count every nanosecond: the names are those of
/// protozero::pbf_reader and so are the exceptions, the numbers are read faster. A value must be asked for by the type
/// that the field has on the wire: match tag_and_type().
class Message {
 public:
  using Type = protozero::pbf_wire_type;

  Message() = default;
  Message(const char* data, size_t size) : at_(data), end_(data + size) {}

  /// Steps to the next field, whose value must have been read or skipped before the next step. False at the end.
  [[nodiscard]] bool next() {
    if (at_ == end_) return false;
    key_ = static_cast<uint32_t>(read_varint(at_, end_));
    constexpr uint32_t kFirstReserved = 19000;
    constexpr uint32_t kLastReserved = 19999;
    if (tag() == 0 || (tag() >= kFirstReserved && tag() <= kLastReserved)) throw protozero::invalid_tag_exception();
    if ((kKnownTypes >> (key_ & 7) & 1) == 0) throw protozero::unknown_pbf_wire_type_exception();
    return true;
  }
  /// Steps to the next field of this number, and of this type.
  [[nodiscard]] bool next(uint32_t wanted) {
    while (next()) {
      if (tag() == wanted) return true;
      skip();
    }
    return false;
  }
  [[nodiscard]] bool next(uint32_t wanted, Type type) {
    while (next()) {
      if (key_ == protozero::tag_and_type(wanted, type)) return true;
      skip();
    }
    return false;
  }

  [[nodiscard]] uint32_t tag() const { return key_ >> 3; }
  [[nodiscard]] Type wire_type() const { return static_cast<Type>(key_ & 7); }
  [[nodiscard]] uint32_t tag_and_type() const { return key_; }

  [[nodiscard]] uint64_t get_uint64() { return read_varint(at_, end_); }
  [[nodiscard]] std::string_view get_view() {
    const uint64_t length = read_varint(at_, end_);
    return {advance(length), length};
  }
  [[nodiscard]] Message get_message() {
    const std::string_view bytes = get_view();
    return {bytes.data(), bytes.size()};
  }

  void skip() {
    switch (wire_type()) {
      case Type::varint: static_cast<void>(read_varint(at_, end_)); break;
      case Type::fixed64: advance(8); break;
      case Type::length_delimited: advance(read_varint(at_, end_)); break;
      default: advance(4);  // fixed32: next() lets no other type through
    }
  }

 private:
  static constexpr uint32_t kKnownTypes = 1U << 0 | 1U << 1 | 1U << 2 | 1U << 5;

  const char* advance(uint64_t bytes) {
    if (bytes > static_cast<uint64_t>(end_ - at_)) throw protozero::end_of_buffer_exception();
    return std::exchange(at_, at_ + bytes);
  }

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  uint32_t key_ = 0;  ///< number and type as they stand on the wire
};

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
