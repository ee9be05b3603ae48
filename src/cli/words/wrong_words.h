#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.h"

namespace sonde {

/// A mistyped command, in a sentence for the user; empty where there is none. Of a command that takes files too, a word
/// that is near to one of its commands and names no file.
[[nodiscard]] std::string mistyped_command(const ChosenCommand& chosen);

/// What is wrong with a command line, in a sentence for the user: the option, what was given, what it takes.
[[nodiscard]] std::string wrong_words(const ChosenCommand& chosen, const Misuse& misuse, std::span<const Command> rows);

}  // namespace sonde
