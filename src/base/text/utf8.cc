#include "base/text/utf8.h"

namespace sonde {
namespace {

unsigned char byte(std::string_view text, size_t i) { return static_cast<unsigned char>(text[i]); }

/// Of the character that begins with this byte; 0 where none does.
size_t length_by_first(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

/// The second byte keeps a character from being overlong, a surrogate, or beyond U+10FFFF.
bool may_follow(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0: return second >= 0xA0 && second <= 0xBF;
    case 0xED: return second >= 0x80 && second <= 0x9F;
    case 0xF0: return second >= 0x90 && second <= 0xBF;
    case 0xF4: return second >= 0x80 && second <= 0x8F;
    default: return second >= 0x80 && second <= 0xBF;
  }
}

/// How many of its bytes are there, one after the other.
size_t good_bytes(std::string_view text, size_t length) {
  size_t good = 1;
  while (good < length && good < text.size() && may_follow(good == 1 ? byte(text, 0) : 0x80, byte(text, good))) ++good;
  return good;
}

}  // namespace

/// RFC 3629.
size_t utf8_length(std::string_view text) {
  const size_t length = length_by_first(byte(text, 0));
  return length != 0 && good_bytes(text, length) == length ? length : 0;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t length = length_by_first(byte(text, 0));
    const size_t good = good_bytes(text, length);
    valid += length != 0 && good == length ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(good);
  }
  return valid;
}

}  // namespace sonde
