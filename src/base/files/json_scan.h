#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// The extents of JSON values in a text that may be broken or break off. Nothing here checks more than it needs to:
/// a parser judges what is inside.
namespace sonde {

inline constexpr size_t kNowhere = std::string_view::npos;

/// The first place from `at` on that is not JSON white space; the text's size where there is none.
[[nodiscard]] size_t skip_space(std::string_view text, size_t at);

/// Behind the string that begins (with its quote) at `at`; kNowhere where it does not end.
[[nodiscard]] size_t string_end(std::string_view text, size_t at);

/// Behind the value that begins at `at`; kNowhere where it does not end. Brackets are counted, not matched in kind.
[[nodiscard]] size_t value_end(std::string_view text, size_t at);

/// What a string says whose raw content (without quotes) is `raw`. Escapes that make no sense stay as they are.
[[nodiscard]] std::string unescape_json(std::string_view raw);

/// A JSON text on one line, with one space behind each comma and colon and none elsewhere (as Python prints it).
[[nodiscard]] std::string one_line_json(std::string_view json);

/// The content of a token that is a string, the token itself where it is something else. Outer white space is cut.
[[nodiscard]] std::string_view without_quotes(std::string_view token);

}  // namespace sonde
