#pragma once

#include "cli/options.h"

namespace sonde {

/// The options and the work of a command that pins an entry, or removes its pin.
void set_up_pinning(CommandLine& command, bool pinned);

}  // namespace sonde
