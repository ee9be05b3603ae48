#include "config/utf8.h"

#include <algorithm>
#include <array>

namespace sonde::config {
namespace {

/// A range of characters that take `size` bytes in UTF-8 (RFC 3629).
struct Sequence {
  unsigned char mask;  ///< of the first byte
  unsigned char lead;
  size_t size;
  uint32_t min;  ///< smaller characters have a shorter form
};
constexpr auto kSequences = std::to_array<Sequence>(
    {{0x80, 0x00, 1, 0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}});

/// Bytes of the character that `text` begins with; 0 where it is none.
size_t character_size(std::string_view text) {
  constexpr unsigned char kTailMask = 0xC0;
  constexpr unsigned char kTail = 0x80;
  constexpr unsigned kTailBits = 6;
  const auto first = static_cast<unsigned char>(text[0]);
  const auto* const form =
      std::ranges::find_if(kSequences, [&](const Sequence& s) { return (first & s.mask) == s.lead; });
  if (form == kSequences.end() || text.size() < form->size) return 0;
  auto code = static_cast<uint32_t>(first & static_cast<unsigned char>(~form->mask));
  for (const char c : text.substr(1, form->size - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & kTailMask) != kTail) return 0;
    code = (code << kTailBits) | (byte & static_cast<unsigned char>(~kTailMask));
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < form->min || code > 0x10FFFF || is_surrogate ? 0 : form->size;
}

bool is_allowed(char c) {
  return static_cast<unsigned char>(c) >= ' ' ? c != '\x7f' : c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

std::optional<BadText> first_bad_text(std::string_view text) {
  BadText place = {.line = 1, .column = 1, .byte = 0};
  for (size_t i = 0; i < text.size();) {
    const size_t size = character_size(text.substr(i));
    if (size == 0 || !is_allowed(text[i])) {
      place.byte = static_cast<unsigned char>(text[i]);
      return place;
    }
    place.column += static_cast<int64_t>(size);
    if (text[i] == '\n') {
      ++place.line;
      place.column = 1;
    }
    i += size;
  }
  return std::nullopt;
}

}  // namespace sonde::config
