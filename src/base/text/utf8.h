#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sonde {

/// Bytes of the well-formed UTF-8 character that `text`, which is not empty, begins with; 0 where it begins with none.
[[nodiscard]] size_t utf8_length(std::string_view text);

/// The text with U+FFFD in place of what is no character: of each byte, but for the beginning of a character that is
/// cut, which is replaced as one.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace sonde
