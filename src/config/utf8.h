#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sonde::config {

/// A byte that YAML in UTF-8 cannot have, and its place from 1 in bytes.
struct BadText {
  int64_t line = 0;
  int64_t column = 0;
  unsigned char byte = 0;
};

/// The first one: no UTF-8, or a control character other than tab, line feed and carriage return.
[[nodiscard]] std::optional<BadText> first_bad_text(std::string_view text);

}  // namespace sonde::config
