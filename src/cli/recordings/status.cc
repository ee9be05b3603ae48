#include <memory>

#include <fmt/format.h>

#include "cli/output.h"
#include "cli/session/ask.h"
#include "record/session/client.h"

namespace sonde {
namespace status_cli {
namespace {

int run(const std::optional<std::string>& wanted) {
  const auto name = record::choose_session(wanted);
  if (!name) return report_error(name.error());
  const auto status = session_cli::status_of(*name);
  if (!status) return report_error(status.error());
  fmt::print("session   {}\nstate     {}\nprogram   {}\nsince     {} s\n", *name, status->state, status->program,
             status->seconds);
  if (!status->output.empty()) fmt::print("profile   {}\n", status->output);
  return kDone;
}

void set_up(CommandLine& command) {
  const auto session = std::make_shared<std::optional<std::string>>();
  session_cli::add_session_option(command, *session);
  command.runs([session] { return run(*session); });
}

}  // namespace
}  // namespace status_cli

extern const Command status_command;
const Command status_command{"status",
                             "Show whether a session is recording, waiting or idle",
                             "sonde status",
                             status_cli::set_up,
                             CommandGroup::record,
                             {},
                             true};

}  // namespace sonde
