#include "base/text/text_width.h"

#include <algorithm>

namespace sonde {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Where character number `index` begins.
size_t offset_of(std::string_view text, size_t index) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && index-- == 0) return i;
  }
  return text.size();
}

}  // namespace

size_t text_width(std::string_view text) { return static_cast<size_t>(std::ranges::count_if(text, begins_character)); }

std::string cut_middle(std::string_view text, size_t width) {
  const size_t characters = text_width(text);
  if (characters <= width || width == 0) return std::string(text);
  const size_t head = width / 2;
  const size_t tail = width - head - 1;
  return std::string(text.substr(0, offset_of(text, head))) + "…" +
         std::string(text.substr(offset_of(text, characters - tail)));
}

}  // namespace sonde
