#include "base/text/base64.h"

#include <cstdint>

namespace sonde {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes the four digits of up to three bytes; what is not there counts as 0.
void write_digits(char* out, std::string_view bytes) {
  uint32_t group = 0;
  for (size_t i = 0; i < 3; ++i) group = group << 8U | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
  for (size_t i = 0; i < 4; ++i) out[i] = kDigits[group >> (18U - 6U * i) & 63U];
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  size_t at = 0;
  for (size_t i = 0; i < bytes.size(); i += 3, at += 4) write_digits(&text[at], bytes.substr(i, 3));
  const size_t padding = (3 - bytes.size() % 3) % 3;
  text.replace(text.size() - padding, padding, padding, '=');
  return text;
}

}  // namespace sonde
