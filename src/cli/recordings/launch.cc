#include "cli/record/launched_program.h"

namespace sonde {

extern const Command launch_command;
const Command launch_command{"launch",
                             "Run a program; 'sonde start' and 'sonde stop' record parts of it",
                             "sonde launch --session-new training -- python train.py",
                             set_up_launched_program,
                             CommandGroup::record,
                             {},
                             true};

}  // namespace sonde
