#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/tasks/about_one.h"
#include "cli/tasks/batch_text.h"
#include "cli/tasks/task_list.h"
#include "cli/tasks/task_table.h"

namespace sonde {
namespace batch_show_cli {
namespace {

using tasks::Json;

struct Options {
  tasks::ConnectionOptions connection;
  std::string batch;
  bool json = false;
};

int show(const Options& options, int64_t id, tasks::Connection& connection) {
  const auto batch = connection.get(fmt::format("/api/v1/batches/{}", id));
  if (!batch) return report_error(batch.error());
  if (options.json) {
    fmt::print("{}", tasks::json_text(*batch));
    return kDone;
  }
  const auto queue = connection.get("/api/v1/queue?limit=1000");
  const tasks::TableContext context = tasks::table_context(queue ? *queue : Json());
  auto list = tasks::list_tasks(connection, {.batch = id});
  if (!list) return report_error(list.error());
  tasks::sort_tasks(list->tasks, context);
  fmt::print("{}\n{}", tasks::batch_details(*batch, context.gpus),
             tasks::task_table(list->tasks, context, terminal_options().width));
  return kDone;
}

int run(const Options& options) {
  return tasks::about_one(options.batch, options.connection,
                          [&](int64_t id, tasks::Connection& connection) { return show(options, id, connection); });
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.positional("BATCH", options->batch, "ID of the batch").required();
  command.flag("--json", options->json, "print JSON");
  tasks::add_connection_options(command, options->connection);
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace batch_show_cli

extern const Command batch_show_command;
const Command batch_show_command{"show", "Show the progress of a batch, its split over GPUs, and its tasks",
                                 "sonde batch show 3", batch_show_cli::set_up};

}  // namespace sonde
