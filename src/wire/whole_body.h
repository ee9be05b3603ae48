#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/bytes.h"
#include "wire/record.h"

/// For those record kinds whose own header says whether a body is whole.
namespace sonde::wire {

template <typename T>
[[nodiscard]] bool take(std::span<const std::byte> body, T& value) {
  return Bytes(body).take(value);
}

/// Whether the body is `value` and the text behind it, and nothing more.
template <typename T>
[[nodiscard]] bool ends_with_text(std::span<const std::byte> body, T& value, uint16_t& text_bytes) {
  if (!take(body, value) || value.text_bytes > kMaxText) return false;
  text_bytes = value.text_bytes;
  return body.size() == sizeof value + padded(text_bytes);
}

}  // namespace sonde::wire
