#include <array>
#include <memory>

#include <fmt/format.h>

#include "cli/output.h"
#include "cli/session/ask.h"
#include "record/session/client.h"

namespace sonde {
namespace sessions_cli {
namespace {

int list(bool header) {
  const auto living = record::living_sessions();
  if (!living) return report_error(living.error());
  if (header) fmt::print("{:<24} {:>8} {:<10} {:<7} {}\n", "NAME", "TIME", "STATE", "KIND", "PROGRAM");
  for (const std::string& name : *living) {
    const auto status = session_cli::status_of(name);
    if (!status) continue;  // it has ended meanwhile
    fmt::print("{:<24} {:>6} s {:<10} {:<7} {}\n", name, status->seconds, status->state, status->kind, status->program);
  }
  return kDone;
}

void set_up_list(CommandLine& command) {
  const auto header = std::make_shared<bool>(true);
  command.option("-p,--show-header", *header, "true|false", "print the heading").shows_default("true");
  command.runs([header] { return list(*header); });
}

const std::array kCommands = {Command{"list", "List the sessions of this user", "sonde sessions list", set_up_list}};

}  // namespace
}  // namespace sessions_cli

extern const Command sessions_command;
const Command sessions_command{"sessions",
                               "List the recorders that accept commands, and their state",
                               "sonde sessions list",
                               nullptr,
                               CommandGroup::record,
                               sessions_cli::kCommands};

}  // namespace sonde
