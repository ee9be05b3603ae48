#include <array>

#include "cli/command.h"

namespace sonde {

#define SONDE_BASELINE_COMMAND(name) extern const Command baseline_##name##_command;
#include "cli/baseline/list.inc"
#undef SONDE_BASELINE_COMMAND

namespace baseline_cli {
namespace {

const std::array kCommands = {
#define SONDE_BASELINE_COMMAND(name) baseline_##name##_command,
#include "cli/baseline/list.inc"
#undef SONDE_BASELINE_COMMAND
};

}  // namespace
}  // namespace baseline_cli

extern const Command baseline_command;
const Command baseline_command{"baseline",
                               "Store runs to compare later runs with, by commit, machine and options",
                               "sonde baseline add run1.nsys-rep run2.nsys-rep run3.nsys-rep",
                               nullptr,
                               CommandGroup::guard,
                               baseline_cli::kCommands};

}  // namespace sonde
