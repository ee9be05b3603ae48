#include "cli/command.h"

#include <string>

#include <fmt/format.h>

namespace sonde {
namespace {

constexpr char kGuard = '\x01';

/// Whether it begins and ends in brackets, guards behind the last one not counted.
bool is_bracketed(std::string_view word) {
  return word.starts_with('[') && word.substr(0, word.find_last_not_of(kGuard) + 1).ends_with(']');
}

}  // namespace

std::string guarded_word(std::string word) {
  if (is_bracketed(word)) word += kGuard;
  return word;
}

std::string unguarded_word(std::string word) {
  if (is_bracketed(word) && word.ends_with(kGuard)) word.pop_back();
  return word;
}

void add_commands(CLI::App& app, std::span<const Command> commands, int& exit_code) {
  app.require_subcommand(0, 1);
  for (const Command& c : commands) {
    CLI::App* command = app.add_subcommand(std::string(c.name), std::string(c.description));
    command->footer(fmt::format("Example:\n  {}\n", c.example));
    c.set_up(*command, exit_code);
  }
}

}  // namespace sonde
