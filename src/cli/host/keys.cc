#include <array>

#include "cli/command.h"

namespace sonde {

#define SONDE_KEYS_COMMAND(name) extern const Command keys_##name##_command;
#include "cli/keys/list.inc"
#undef SONDE_KEYS_COMMAND

namespace keys_cli {
namespace {

const std::array kCommands = {
#define SONDE_KEYS_COMMAND(name) keys_##name##_command,
#include "cli/keys/list.inc"
#undef SONDE_KEYS_COMMAND
};

}  // namespace
}  // namespace keys_cli

extern const Command keys_command;
const Command keys_command{"keys",
                           "Create, list and revoke keys for the API of the service",
                           "sonde keys add grafana --role read",
                           nullptr,
                           CommandGroup::operate,
                           keys_cli::kCommands};

}  // namespace sonde
