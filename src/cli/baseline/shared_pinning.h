#pragma once

#include "cli/command.h"

namespace sonde {

/// Options and run of a command that pins an entry (`pinned`) or removes its pin.
void set_up_pinning(CommandLine& command, bool pinned);

}  // namespace sonde
