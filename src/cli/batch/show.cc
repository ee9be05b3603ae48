#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/tasks/batch_text.h"
#include "cli/tasks/connection.h"
#include "cli/tasks/ids.h"
#include "cli/tasks/task_list.h"
#include "cli/tasks/task_table.h"

namespace sonde {
namespace {

using tasks::Json;

struct Options {
  tasks::ConnectionOptions connection;
  std::string batch;
  bool json = false;
};

Status show(const Options& options, int64_t id) {
  auto connection = tasks::Connection::open(options.connection);
  if (!connection) return std::unexpected(connection.error());
  const auto batch = connection->get(fmt::format("/api/v1/batches/{}", id));
  if (!batch) return std::unexpected(batch.error());
  if (options.json) {
    fmt::print("{}", tasks::json_text(*batch));
    return {};
  }
  const auto queue = connection->get("/api/v1/queue?limit=1000");
  const tasks::TableContext context = tasks::table_context(queue ? *queue : Json());
  auto list = tasks::list_tasks(*connection, {.batch = id});
  if (!list) return std::unexpected(list.error());
  tasks::sort_tasks(list->tasks, context);
  fmt::print("{}\n{}", tasks::batch_details(*batch, context.gpus),
             tasks::task_table(list->tasks, context, terminal_options().width));
  return {};
}

int run(const Options& options) {
  const auto id = tasks::parse_id(options.batch);
  if (!id) {
    report_error(id.error());
    return kUsage;
  }
  const Status shown = show(options, *id);
  return shown ? kDone : report_error(shown.error());
}

void set_up(CLI::App& command, int& exit_code) {
  auto options = std::make_shared<Options>();
  command.add_option("BATCH", options->batch, "its number")->required();
  command.add_flag("--json", options->json, "as JSON");
  tasks::add_connection_options(command, options->connection);
  command.callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace

extern const Command batch_show_command;
const Command batch_show_command{"show", "Show how far a batch is, how it was split, and its tasks",
                                 "sonde batch show 3", set_up};

}  // namespace sonde
