#include "record/cuda/uuid_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde::record {

std::string uuid_text(const uint8_t (&bytes)[16]) {
  if (std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; })) return {};
  std::string text;
  for (size_t i = 0; i < sizeof bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

}  // namespace sonde::record
