#pragma once

#include <string>
#include <string_view>

/// Texts of a user as values in files of other programs: what is read there is the text, whatever is in it.
namespace sonde {

/// Whether the functions below can hold it: UTF-8 without control characters, but for tabs and ends of lines.
[[nodiscard]] bool can_be_quoted(std::string_view text);

/// A YAML scalar that is a text.
[[nodiscard]] std::string yaml_value(std::string_view text);

/// The same in a GitHub workflow, which replaces what looks like an expression.
[[nodiscard]] std::string workflow_value(std::string_view text);

/// A Groovy string without interpolation.
[[nodiscard]] std::string groovy_value(std::string_view text);

/// A word of a shell command line, as it stands where it needs no quotes.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace sonde
