#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sonde {

/// Characters (code points) of a UTF-8 text.
[[nodiscard]] size_t text_width(std::string_view text);

/// The text in at most `width` characters, its middle replaced by "…": the ends of a kernel's name tell most.
[[nodiscard]] std::string cut_middle(std::string_view text, size_t width);

}  // namespace sonde
