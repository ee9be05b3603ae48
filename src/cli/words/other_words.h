#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/options.h"

namespace sonde {

/// The parser splits a word "[a,b]" anywhere on the command line. A word after "--" belongs to another program, and is
/// guarded on its way through: options that take such words use converted(unguarded_word).
[[nodiscard]] std::string guarded_word(std::string word);
[[nodiscard]] std::string unguarded_word(std::string word);

/// The words of a command that runs a program as nsys parses them: the program begins at the first word that is neither
/// an option nor an option's value, and gets "--" before it, so nothing after it is parsed as ours. A flag's value may
/// follow after a blank ("-w true"). An error: a value that is missing, a long name after one dash only.
[[nodiscard]] Result<std::vector<std::string>> with_program_apart(const CommandLine& command,
                                                                  std::span<const std::string_view> words);

/// nsys accepts "--force-overwrite true" and "--help-reports NAME" with a blank; the parser accepts a flag's value
/// after
/// '=' only.
[[nodiscard]] std::vector<std::string> with_joined_values(std::span<const std::string_view> words);

}  // namespace sonde
