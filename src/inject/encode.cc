#include "inject/encode.h"

#include "inject/attachment.h"

namespace sonde::inject {

namespace {

bool is_inner(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

Text text_of(const char* text) noexcept {
  if (text == nullptr) return {};
  const size_t bytes = strnlen(text, wire::kMaxText + 1U);
  if (bytes <= wire::kMaxText) return {text, static_cast<uint16_t>(bytes)};
  attachment.header->cut_texts.fetch_add(1, std::memory_order_relaxed);
  uint16_t whole = wire::kMaxText;  // a character of UTF-8 has at most three bytes behind its first
  while (whole > wire::kMaxText - 3 && is_inner(text[whole])) --whole;
  return {text, whole};
}

}  // namespace sonde::inject
