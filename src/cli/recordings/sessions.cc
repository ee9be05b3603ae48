#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/output.h"
#include "cli/session/ask.h"
#include "record/session/client.h"

namespace sonde {
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

void set_up(CLI::App& command, int& exit_code) {
  const auto header = std::make_shared<bool>(true);
  CLI::App* const lists = command.add_subcommand("list", "the sessions of this user, one a line");
  lists->add_option("-p,--show-header", *header, "false: only the sessions")->capture_default_str();
  lists->callback([header, &exit_code] { exit_code = list(*header); });
  command.require_subcommand(1);
}

}  // namespace

extern const Command sessions_command;
const Command sessions_command = {"sessions", "List the recorders that take commands, and what they do",
                                  "sonde sessions list", &set_up};

}  // namespace sonde
