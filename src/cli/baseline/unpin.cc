#include "cli/baseline/shared_pin.h"
#include "cli/command.h"

namespace sonde {
namespace baseline_unpin_cli {

void set_up(CommandLine& command) { set_up_pinning(command, false); }

}  // namespace baseline_unpin_cli

extern const Command baseline_unpin_command;
const Command baseline_unpin_command{"unpin", "Remove the pin of an entry", "sonde baseline unpin 8e1e4ab",
                                     baseline_unpin_cli::set_up};

}  // namespace sonde
