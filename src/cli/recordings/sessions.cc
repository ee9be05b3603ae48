#include <array>
#include <memory>

#include <fmt/format.h>

#include "cli/output.h"
#include "cli/session/ask.h"
#include "record/session/client.h"

namespace sonde {
namespace sessions_cli {
namespace {

struct Options {
  bool header = true;
  bool json = false;
};

int list_json(const std::vector<std::string>& living) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& name : living) {
    if (const auto status = session_cli::status_of(name)) all.push_back(session_cli::status_json(name, *status));
  }
  fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  return kDone;
}

int list(const Options& options) {
  const auto living = record::living_sessions();
  if (!living) return report_error(living.error());
  if (options.json) return list_json(*living);
  if (options.header) fmt::print("{:<24} {:>8} {:<10} {:<7} {}\n", "NAME", "TIME", "STATE", "KIND", "PROGRAM");
  for (const std::string& name : *living) {
    const auto status = session_cli::status_of(name);
    if (!status) continue;  // it has ended meanwhile
    fmt::print("{:<24} {:>6} s {:<10} {:<7} {}\n", name, status->seconds, status->state, status->kind, status->program);
  }
  return kDone;
}

void set_up_list(CommandLine& command) {
  const auto options = std::make_shared<Options>();
  command.option("-p,--show-header", options->header, "true|false", "print the heading").shows_default("true");
  command.flag("--json", options->json, "print JSON");
  command.runs([options] { return list(*options); });
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
