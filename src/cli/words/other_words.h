#pragma once

#include <span>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "base/error.h"

namespace sonde {

/// CLI11 takes a word "[a,b]" apart, wherever it stands. One behind "--" is another program's, and is guarded on its
/// way through: main() guards such words, and options that take them say transform(unguarded_word).
[[nodiscard]] std::string guarded_word(std::string word);
[[nodiscard]] std::string unguarded_word(std::string word);

/// The words of a command that runs a program as nsys takes them: the program begins at the first word that is no
/// option and no option's value, and gets "--" before it, so that nothing behind it is taken for ours. A flag's value
/// may stand behind a blank ("-w true"). An error: a value that is missing, a long name behind one dash only.
[[nodiscard]] Result<std::vector<std::string>> with_program_apart(const CLI::App& command,
                                                                  std::span<char* const> words);

}  // namespace sonde
