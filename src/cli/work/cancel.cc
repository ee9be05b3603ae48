#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/session/ask.h"
#include "cli/tasks/connection.h"
#include "cli/tasks/ids.h"
#include "cli/tasks/task_text.h"
#include "record/session/client.h"

namespace sonde {
namespace cancel_cli {
namespace {

using tasks::Json;

struct Options {
  tasks::ConnectionOptions connection;
  std::vector<std::string> ids;
  std::optional<std::string> session;
  bool json = false;
};

/// A running one gets SIGTERM first, and is over a moment later.
std::string done_text(const Json& task) {
  return tasks::is_over(task) ? tasks::outcome_text(task) : tasks::title_of(task) + " is being cancelled";
}

int cancel_all(const Options& options, const std::vector<int64_t>& ids, tasks::Connection& connection) {
  Json cancelled = Json::array();
  int exit_code = kDone;
  for (const int64_t id : ids) {
    auto task = connection.call({.method = "POST", .path = fmt::format("/api/v1/tasks/{}/cancel", id)});
    if (task) {
      if (!options.json) fmt::print("{}\n", done_text(*task));
      cancelled.push_back(std::move(*task));
      continue;
    }
    exit_code = report_error(task.error());
    if (connection.status() == 0) break;  // the others would not get there either
  }
  if (options.json) fmt::print("{}", tasks::json_text({{"tasks", std::move(cancelled)}}));
  return exit_code;
}

/// nsys's word for a recording. What `sonde record` itself records is discarded by the session's name only.
int cancel_recording(const Options& options) {
  if (!options.session) {
    const auto name = record::choose_session({});
    if (!name) return report_error(name.error());
    const auto status = session_cli::status_of(*name);
    if (status && status->kind == "record") {
      complain(fmt::format("session '{}' belongs to sonde record; 'sonde cancel --session {}' discards its recording",
                           *name, *name));
      return kCannot;
    }
  }
  return session_cli::ask(options.session, {.verb = record::Verb::cancel});
}

int run(const Options& options) {
  if (options.session && !options.ids.empty()) {
    complain("give either tasks or --session, not both");
    return kUsage;
  }
  if (options.ids.empty()) return cancel_recording(options);
  const auto ids = tasks::parse_ids(options.ids);
  if (!ids) {
    report_error(ids.error());
    return kUsage;
  }
  auto connection = tasks::Connection::open(options.connection);
  return connection ? cancel_all(options, *ids, *connection) : report_error(connection.error());
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.positional("TASK", options->ids,
                     "IDs of tasks: 12 14-17 or 12,14-17 (default: the recording that 'sonde start' began)");
  session_cli::add_session_option(command, options->session);
  command.flag("--json", options->json, "print the tasks as JSON");
  tasks::add_connection_options(command, options->connection);
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace cancel_cli

extern const Command cancel_command;
const Command cancel_command{
    "cancel", "Cancel tasks (SIGTERM, then SIGKILL), or without a task discard the recording of a session",
    "sonde cancel 12 14-17", cancel_cli::set_up, CommandGroup::operate};

}  // namespace sonde
