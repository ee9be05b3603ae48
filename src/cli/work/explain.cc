#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/tasks/about_one.h"
#include "cli/tasks/amounts.h"
#include "cli/tasks/explain_text.h"
#include "cli/tasks/profile_text.h"
#include "cli/tasks/task_text.h"

namespace sonde {
namespace explain_cli {
namespace {

struct Options {
  tasks::ConnectionOptions connection;
  std::string task;
  bool json = false;
};

/// The explanation of one that is over has its decisions only.
std::string head_of(const tasks::Json& task) {
  return tasks::is_over(task) ? tasks::outcome_text(task)
                              : fmt::format("{} is {}", tasks::title_of(task), tasks::text_of(task, "state"));
}

int explain(const Options& options, int64_t id, tasks::Connection& connection) {
  const auto explained = connection.get(fmt::format("/api/v1/tasks/{}/explain", id));
  if (!explained) return report_error(explained.error());
  if (options.json) {
    fmt::print("{}", tasks::json_text(*explained));
    return kDone;
  }
  const size_t width = terminal_options().width;
  if (const auto task = connection.get(fmt::format("/api/v1/tasks/{}", id))) fmt::print("{}\n", head_of(*task));
  fmt::print("{}", tasks::explain_text(*explained, tasks::now_s(), width));
  // What was asked for stands above, also where a service does not record.
  const auto profiles = connection.get(fmt::format("/api/v1/tasks/{}/profiles", id));
  if (profiles) fmt::print("{}", tasks::profiles_text(*profiles, width));
  return kDone;
}

int run(const Options& options) {
  return tasks::about_one(options.task, options.connection,
                          [&](int64_t id, tasks::Connection& connection) { return explain(options, id, connection); });
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.positional("TASK", options->task, "ID of the task").required();
  command.flag("--json", options->json, "print JSON (schema Explanation of docs/schemas/openapi.json)");
  tasks::add_connection_options(command, options->connection);
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace explain_cli

extern const Command explain_command;
const Command explain_command{"explain",
                              "Explain why a task waits or why it got its GPU, and when it is expected to start",
                              "sonde explain 12", explain_cli::set_up, CommandGroup::operate};

}  // namespace sonde
