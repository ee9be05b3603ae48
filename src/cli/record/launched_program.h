#pragma once

#include "cli/command.h"

namespace sonde {

/// The options of `sonde launch`: those of `sonde record` that hold for the program's whole life.
void set_up_launched_program(CommandLine& command);

}  // namespace sonde
