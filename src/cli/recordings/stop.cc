#include <memory>

#include "cli/session/ask.h"

namespace sonde {
namespace {

void set_up(CLI::App& command, int& exit_code) {
  const auto session = std::make_shared<std::optional<std::string>>();
  session_cli::add_session_option(command, *session);
  command.callback([session, &exit_code] { exit_code = session_cli::ask(*session, {.verb = record::Verb::stop}); });
}

}  // namespace

extern const Command stop_command;
const Command stop_command = {"stop", "End what 'sonde start' began, and write the profile; the program goes on",
                              "sonde stop --session training", &set_up, true};

}  // namespace sonde
