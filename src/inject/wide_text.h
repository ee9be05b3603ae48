#pragma once

#include "inject/encode.h"

namespace sonde::inject {

/// A wchar_t text as UTF-8, as much of it as a record takes. What is no character becomes U+FFFD.
class WideText {
 public:
  explicit WideText(const wchar_t* text) noexcept;
  [[nodiscard]] Text text() const noexcept { return {bytes_, size_}; }

 private:
  void put(uint32_t character) noexcept;

  char bytes_[wire::kMaxText];
  uint16_t size_ = 0;
};

}  // namespace sonde::inject
