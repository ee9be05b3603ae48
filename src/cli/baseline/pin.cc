#include "cli/baseline/shared_pinning.h"
#include "cli/command.h"

namespace sonde {

extern const Command baseline_pin_command;
const Command baseline_pin_command{"pin", "Prefer an entry to all others, and never prune it",
                                   "sonde baseline pin 8e1e4ab",
                                   [](CommandLine& command) { set_up_pinning(command, true); }};

}  // namespace sonde
