#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace sonde {

/// The words of a command line as a shell splits it, and nothing else that a shell does: blanks part words, '...' and
/// "..." hold them together, a backslash takes the next character as it is. No variables, globs or pipes. An error for
/// a quote that is not closed.
[[nodiscard]] Result<std::vector<std::string>> command_words(std::string_view line);

/// The other way round, for people to read and copy: words that need it are quoted.
[[nodiscard]] std::string command_line(std::span<const std::string> words);

}  // namespace sonde
