#include "cli/baseline/shared_pin.h"
#include "cli/command.h"

namespace sonde {
namespace baseline_pin_cli {

void set_up(CommandLine& command) { set_up_pinning(command, true); }

}  // namespace baseline_pin_cli

extern const Command baseline_pin_command;
const Command baseline_pin_command{"pin", "Prefer an entry to all others, and never prune it",
                                   "sonde baseline pin 8e1e4ab", baseline_pin_cli::set_up};

}  // namespace sonde
