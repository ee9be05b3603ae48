#include "inject/encode.h"

#include "inject/attachment.h"

namespace sonde::inject {

Text text_of(const char* text) noexcept {
  if (text == nullptr) return {};
  const size_t bytes = strnlen(text, wire::kMostText + 1U);
  if (bytes <= wire::kMostText) return {text, static_cast<uint16_t>(bytes)};
  attachment.header->cut_texts.fetch_add(1, std::memory_order_relaxed);
  return {text, wire::kMostText};
}

}  // namespace sonde::inject
