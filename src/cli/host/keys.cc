#include <array>

#include "cli/command.h"

namespace sonde {

#define SONDE_KEYS_COMMAND(name) extern const Command keys_##name##_command;
#include "cli/keys/list.inc"
#undef SONDE_KEYS_COMMAND

namespace {

const std::array kCommands = {
#define SONDE_KEYS_COMMAND(name) keys_##name##_command,
#include "cli/keys/list.inc"
#undef SONDE_KEYS_COMMAND
};

void set_up(CLI::App& command, int& exit_code) {
  add_commands(command, kCommands, exit_code);
  command.require_subcommand(1);
}

}  // namespace

extern const Command keys_command;
const Command keys_command{"keys", "Make, list and revoke the keys that calls of the service's API need",
                           "sonde keys add grafana --role read", set_up};

}  // namespace sonde
