#pragma once

#include <span>
#include <string>
#include <string_view>

#include <CLI/App.hpp>

#include "cli/command.h"

namespace sonde {

/// What is wrong with a command line, in a sentence for its writer: the option, what was given, what it takes.
/// `command`: the one that was meant, `path` its words ("sonde sessions list"); `commands`: all there are.
[[nodiscard]] std::string wrong_words(const CLI::App& command, std::string_view path, const CLI::ParseError& error,
                                      std::span<const Command> commands);

}  // namespace sonde
