#include "cli/command.h"

#include <string>

#include <fmt/format.h>

namespace sonde {

void add_commands(CLI::App& app, std::span<const Command> commands, int& exit_code) {
  app.require_subcommand(0, 1);
  for (const Command& c : commands) {
    CLI::App* command = app.add_subcommand(std::string(c.name), std::string(c.description));
    command->footer(fmt::format("Example:\n  {}\n", c.example));
    c.set_up(*command, exit_code);
  }
}

}  // namespace sonde
