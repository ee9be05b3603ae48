#include <array>

#include "cli/command.h"

namespace sonde {

#define SONDE_CI_COMMAND(name) extern const Command ci_##name##_command;
#include "cli/ci/list.inc"
#undef SONDE_CI_COMMAND

namespace ci_cli {
namespace {

const std::array kCommands = {
#define SONDE_CI_COMMAND(name) ci_##name##_command,
#include "cli/ci/list.inc"
#undef SONDE_CI_COMMAND
};

}  // namespace
}  // namespace ci_cli

extern const Command ci_command;
const Command ci_command{"ci",
                         "Set up a performance gate in GitHub Actions, Jenkins or GitLab CI",
                         "sonde ci init github --command 'python train.py'",
                         nullptr,
                         CommandGroup::guard,
                         ci_cli::kCommands};

}  // namespace sonde
