#include <random>

#include <gtest/gtest.h>

#include "base/files/protobuf.h"

namespace sonde {
namespace message_test {

std::string encoded(uint64_t value) {
  std::string text;
  for (; value > 0x7F; value >>= 7) text += static_cast<char>((value & 0x7F) | 0x80);
  return text + static_cast<char>(value);
}

TEST(ReadVarint, ReadsEveryLengthWhereverTheBufferEnds) {
  for (int bits = 0; bits <= 64; ++bits) {
    const uint64_t value = bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits);
    for (const uint64_t v : {value, value - value / 3, value ^ (value >> 1)}) {
      for (size_t behind = 0; behind < 10; ++behind) {
        const std::string bytes = encoded(v) + std::string(behind, '\xFF');
        const char* at = bytes.data();
        EXPECT_EQ(read_varint(at, bytes.data() + bytes.size()), v);
        EXPECT_EQ(at - bytes.data(), static_cast<ptrdiff_t>(encoded(v).size()));
      }
    }
  }
}

TEST(ReadVarint, RefusesWhatHasNoEnd) {
  for (size_t length = 0; length < 24; ++length) {
    const std::string bytes(length, '\x80');
    const char* at = bytes.data();
    EXPECT_THROW(static_cast<void>(read_varint(at, bytes.data() + length)), protozero::exception) << length;
  }
}

/// Everything that a reader sees of a message, and how it ends.
template <typename Reader>
std::string walk(Reader reader) {
  std::string seen;
  try {
    while (reader.next()) {
      seen += std::to_string(reader.tag()) + ":" + std::to_string(static_cast<int>(reader.wire_type()));
      if (reader.wire_type() == protozero::pbf_wire_type::varint) {
        seen += "=" + std::to_string(reader.get_uint64());
      } else if (reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
        const auto view = reader.get_view();
        seen += "=" + std::string(view.data(), view.size());
      } else {
        reader.skip();
      }
      seen += ' ';
    }
  } catch (const protozero::exception& e) {
    seen += e.what();
  }
  return seen;
}

TEST(Message, SeesWhatProtozeroSeesInAnyBytes) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> any(0, 255);
  size_t whole = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (int n = any(random) / 4; n > 0; --n) {
      // Mostly what a message may hold: small fields, small numbers and lengths.
      bytes += static_cast<char>(any(random) < 200 ? any(random) % 32 : any(random));
    }
    const std::string mine = walk(Message(bytes.data(), bytes.size()));
    ASSERT_EQ(mine, walk(protozero::pbf_reader(bytes.data(), bytes.size())));
    whole += mine.empty() || mine.back() == ' ' ? 1 : 0;
  }
  EXPECT_GT(whole, 100U);  // both ends are met
  EXPECT_LT(whole, 19'500U);
}

}  // namespace message_test
}  // namespace sonde
