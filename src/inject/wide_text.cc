#include "inject/wide_text.h"

#include "inject/attachment.h"

namespace sonde::inject {
namespace {

constexpr uint32_t kMaxCharacterBytes = 4;

uint32_t character_of(wchar_t unit) noexcept {
  const auto value = static_cast<uint32_t>(unit);
  const bool surrogate = value >= 0xD800 && value < 0xE000;
  return value > 0x10FFFF || surrogate ? 0xFFFD : value;
}

}  // namespace

WideText::WideText(const wchar_t* text) noexcept {
  if (text == nullptr) return;
  for (; *text != 0; ++text) {
    if (size_ > wire::kMaxText - kMaxCharacterBytes) {
      attachment.header->cut_texts.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    put(character_of(*text));
  }
}

void WideText::put(uint32_t character) noexcept {
  const auto tail = [&](uint32_t shift) { return static_cast<char>(0x80U | ((character >> shift) & 0x3FU)); };
  if (character < 0x80) {
    bytes_[size_++] = static_cast<char>(character);
    return;
  }
  if (character < 0x800) {
    bytes_[size_++] = static_cast<char>(0xC0U | character >> 6U);
  } else {
    if (character < 0x10000) {
      bytes_[size_++] = static_cast<char>(0xE0U | character >> 12U);
    } else {
      bytes_[size_++] = static_cast<char>(0xF0U | character >> 18U);
      bytes_[size_++] = tail(12);
    }
    bytes_[size_++] = tail(6);
  }
  bytes_[size_++] = tail(0);
}

}  // namespace sonde::inject
