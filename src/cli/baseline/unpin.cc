#include "cli/baseline/shared_pinning.h"
#include "cli/command.h"

namespace sonde {

extern const Command baseline_unpin_command;
const Command baseline_unpin_command{"unpin", "Remove the pin of an entry", "sonde baseline unpin 8e1e4ab",
                                     [](CommandLine& command) { set_up_pinning(command, false); }};

}  // namespace sonde
