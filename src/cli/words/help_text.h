#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sonde {

/// A help text with lines of at most `width` characters, broken at blanks; what belongs to an option stays under its
/// first line.
[[nodiscard]] std::string wrapped_help(std::string_view text, size_t width);

/// Of the terminal that reads standard output, in characters: COLUMNS, or what the terminal says. A pipe's is 80.
[[nodiscard]] size_t help_width();

}  // namespace sonde
