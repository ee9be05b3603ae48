#include <array>

#include "cli/command.h"

namespace sonde {

#define SONDE_CI_COMMAND(name) extern const Command ci_##name##_command;
#include "cli/ci/list.inc"
#undef SONDE_CI_COMMAND

namespace {

const std::array kCommands = {
#define SONDE_CI_COMMAND(name) ci_##name##_command,
#include "cli/ci/list.inc"
#undef SONDE_CI_COMMAND
};

void set_up(CLI::App& command, int& exit_code) {
  add_commands(command, kCommands, exit_code);
  command.require_subcommand(1);
}

}  // namespace

extern const Command ci_command;
const Command ci_command = {"ci", "Set up a performance gate in GitHub Actions, Jenkins or GitLab CI",
                            "sonde ci init github --command 'python train.py'", &set_up};

}  // namespace sonde
