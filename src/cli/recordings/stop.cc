#include <memory>

#include "cli/session/ask.h"

namespace sonde {
namespace stop_cli {
namespace {

void set_up(CommandLine& command) {
  const auto session = std::make_shared<std::optional<std::string>>();
  session_cli::add_session_option(command, *session);
  command.runs([session] { return session_cli::ask(*session, {.verb = record::Verb::stop}); });
}

}  // namespace
}  // namespace stop_cli

extern const Command stop_command;
const Command stop_command{"stop",
                           "Stop the recording of 'sonde start' and write the profile; the program keeps running",
                           "sonde stop --session training",
                           stop_cli::set_up,
                           CommandGroup::record,
                           {},
                           true};

}  // namespace sonde
