#pragma once

#include <span>
#include <string_view>

#include <CLI/App.hpp>

namespace sonde {

/// Exit codes of every command.
enum ExitCode : int { kDone = 0, kCannot = 1, kUsage = 2 };

/// A command of `sonde`. One row of list.inc each.
struct Command {
  std::string_view name;
  std::string_view description;  ///< one line
  std::string_view example;      ///< a command line that works as it stands, but for its file names
  /// Adds the options to `command`, and a callback that runs it and sets the exit code.
  void (*set_up)(CLI::App& command, int& exit_code);
  /// Its words are taken as nsys takes them (other_words.h): a flag's value may follow behind a blank, and a program
  /// begins at the first word that is no option.
  bool as_nsys = false;
};

/// Makes each row a command of `app`, with its example below its help.
void add_commands(CLI::App& app, std::span<const Command> commands, int& exit_code);

}  // namespace sonde
