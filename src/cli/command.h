#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace sonde {

/// Exit codes of every command. kNothingFound and kCouldNotLook are answers of `sonde why` (docs/profiles/findings.md).
enum ExitCode : int { kDone = 0, kCannot = 1, kUsage = 2, kNothingFound = 3, kCouldNotLook = 4 };
/// Whether `sonde why` answered, whatever the answer.
[[nodiscard]] constexpr bool why_answered(int code) {
  return code == kDone || code == kNothingFound || code == kCouldNotLook;
}

/// What a command is for; a heading of `sonde --help`.
enum class CommandGroup : uint8_t { explain, record, guard, operate, other };
[[nodiscard]] std::string_view group_name(CommandGroup group);

/// A command of `sonde`. One row of list.inc each.
struct Command {
  std::string_view name;
  std::string_view description;  ///< one line
  std::string_view example;      ///< a command line that works as it is, except for its file names
  /// Declares the options, and the work of the command; null where it has commands only, or is not in this build.
  void (*set_up)(CommandLine& command);
  CommandGroup group = CommandGroup::other;  ///< of a command in another: that one's
  std::span<const Command> commands = {};    ///< of this command
  /// Its words are parsed as nsys parses them (words/other_words.h): a flag's value may follow after a blank, and a
  /// program begins at the first word that is not an option.
  bool as_nsys = false;
};

/// Adds the row as a command of `around`: its options, and none of its commands.
CommandLine add_command(CommandLine& around, const Command& row);
/// Adds all rows, each with its commands.
void add_commands(CommandLine& around, std::span<const Command> rows);

/// The command that the first words of a command line name.
struct ChosenCommand {
  CommandLine line;
  const Command* row = nullptr;  ///< null for the program itself, and for a command without a row
  std::string path;              ///< "sonde baseline"
  std::string_view wrong = {};   ///< the word after it that should name one of its commands; empty: there is none
  std::vector<std::string> known = {};  ///< its commands, where `wrong` is set

  [[nodiscard]] bool is_program() const { return path == "sonde"; }
  /// A command of the service, in a build without the service.
  [[nodiscard]] bool is_left_out() const { return row != nullptr && row->set_up == nullptr && row->commands.empty(); }
  /// Whether a word that names none of its commands may be a file.
  [[nodiscard]] bool takes_files() const;
};

/// Adds to `program` the command that the words name, and nothing of others: registering the options of all commands
/// would take longer than most commands. The program itself gets no command.
[[nodiscard]] ChosenCommand choose_command(CommandLine program, std::span<const Command> rows,
                                           std::span<const std::string_view> words);

}  // namespace sonde
