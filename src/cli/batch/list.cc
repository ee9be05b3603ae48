#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/tasks/amounts.h"
#include "cli/tasks/batch_text.h"
#include "cli/tasks/connection.h"
#include "cli/tasks/grid.h"

namespace sonde {
namespace batch_list_cli {
namespace {

using tasks::Json;

struct Options {
  tasks::ConnectionOptions connection;
  int most = 50;
  bool json = false;
};

const std::vector<tasks::Column> kColumns = {{.title = "ID"},
                                             {.title = "NAME", .left = true, .least = 8, .most = 30},
                                             {.title = "TASKS"},
                                             {.title = "SUBMITTED", .left = true},
                                             {.title = "BY", .left = true, .least = 6, .most = 20, .droppable = 1},
                                             {.title = "STATES", .left = true, .sentence = true, .least = 20}};

std::vector<std::string> row_of(const Json& batch, double now) {
  const std::string name = tasks::text_of(batch, "name");
  return {fmt::format("{}", tasks::whole_of(batch, "id").value_or(0)),
          name.empty() ? "-" : name,
          fmt::format("{}", tasks::list_of(batch, "tasks").size()),
          tasks::moment_text_here(tasks::moment_of(batch, "submitted"), now),
          tasks::text_of(batch, "submitted_by"),
          tasks::states_text(batch)};
}

Status list(const Options& options) {
  auto connection = tasks::Connection::open(options.connection);
  if (!connection) return std::unexpected(connection.error());
  const auto answer = connection->get(fmt::format("/api/v1/batches?limit={}", options.most));
  if (!answer) return std::unexpected(answer.error());
  if (options.json) {
    fmt::print("{}", tasks::json_text(*answer));
    return {};
  }
  tasks::Grid grid{.columns = kColumns, .rows = {}};
  for (const Json& batch : tasks::list_of(*answer, "batches")) grid.rows.push_back(row_of(batch, tasks::now_s()));
  if (grid.rows.empty()) {
    fmt::print(stderr, "sonde: no batches; `sonde batch FILE.yaml` submits one\n");
  } else {
    fmt::print("{}", tasks::grid_text(grid, terminal_options().width));
  }
  return {};
}

void set_up(CommandLine& command) {
  constexpr int kMost = 1000;
  auto options = std::make_shared<Options>();
  command.option("--limit", options->most, "N", "maximum number to list, newest first")
      .within(1, kMost)
      .shows_default();
  command.flag("--json", options->json, "print JSON");
  tasks::add_connection_options(command, options->connection);
  command.runs([options] {
    const Status listed = list(*options);
    return listed ? kDone : report_error(listed.error());
  });
}

}  // namespace
}  // namespace batch_list_cli

extern const Command batch_list_command;
const Command batch_list_command{"list", "List batches, newest first", "sonde batch list", batch_list_cli::set_up};

}  // namespace sonde
