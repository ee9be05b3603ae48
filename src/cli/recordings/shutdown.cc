#include <memory>

#include "cli/output.h"
#include "cli/record/control_options.h"
#include "cli/session/ask.h"

namespace sonde {
namespace shutdown_cli {
namespace {

struct Arguments {
  std::optional<std::string> session;
  std::string kill = "sigterm";
};

int run(const Arguments& arguments) {
  const auto signal = record_cli::kill_signal(arguments.kill);
  if (!signal) return report_error(signal.error());
  return session_cli::ask(arguments.session, {.verb = record::Verb::shutdown, .round = {}, .signal = *signal});
}

void set_up(CommandLine& command) {
  const auto a = std::make_shared<Arguments>();
  session_cli::add_session_option(command, a->session);
  command.option("--kill", a->kill, "SIGNAL", "signal to the program; none leaves it running without recording")
      .shows_default();
  command.runs([a] { return run(*a); });
}

}  // namespace
}  // namespace shutdown_cli

extern const Command shutdown_command;
const Command shutdown_command{"shutdown",
                               "End a session: discard its recording and end its program",
                               "sonde shutdown --kill none",
                               shutdown_cli::set_up,
                               CommandGroup::record,
                               {},
                               true};

}  // namespace sonde
