#include <memory>

#include <fmt/format.h>

#include "cli/output.h"
#include "cli/session/ask.h"
#include "record/session/client.h"

namespace sonde {
namespace status_cli {
namespace {

struct Options {
  std::optional<std::string> session;
  bool json = false;
};

int run(const Options& options) {
  const auto name = record::choose_session(options.session);
  if (!name) return report_error(name.error());
  const auto status = session_cli::status_of(*name);
  if (!status) return report_error(status.error());
  if (options.json) {
    fmt::print(
        "{}\n",
        session_cli::status_json(*name, *status).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return kDone;
  }
  fmt::print("session   {}\nstate     {}\nprogram   {}\nsince     {} s\n", *name, status->state, status->program,
             status->seconds);
  if (!status->output.empty()) fmt::print("profile   {}\n", status->output);
  return kDone;
}

void set_up(CommandLine& command) {
  const auto options = std::make_shared<Options>();
  session_cli::add_session_option(command, options->session);
  command.flag("--json", options->json, "print JSON");
  command.runs([options] { return run(*options); });
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
