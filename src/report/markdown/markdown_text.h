#pragma once

#include <string>
#include <string_view>

/// Texts of profiles in Markdown as GitHub reads it: whatever a profile names something, it stays text.
namespace sonde {

/// A sentence: nothing in it formats, links, calls for a person or ends a table's cell. Line ends become blanks.
[[nodiscard]] std::string markdown_text(std::string_view text);

/// A name as code, in at most `width` characters, fit for a table's cell.
[[nodiscard]] std::string markdown_code(std::string_view name, size_t width = 100);

}  // namespace sonde
