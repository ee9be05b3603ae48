#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/tasks/about_one.h"
#include "cli/tasks/batch_text.h"

namespace sonde {
namespace batch_cancel_cli {
namespace {

struct Options {
  tasks::ConnectionOptions connection;
  std::string batch;
  bool json = false;
};

int cancel(const Options& options, int64_t id, tasks::Connection& connection) {
  const auto batch = connection.call({.method = "POST", .path = fmt::format("/api/v1/batches/{}/cancel", id)});
  if (!batch) return report_error(batch.error());
  fmt::print("{}", options.json ? tasks::json_text(*batch)
                                : fmt::format("{}: {}\n", tasks::batch_title(*batch), tasks::states_text(*batch)));
  return kDone;
}

int run(const Options& options) {
  return tasks::about_one(options.batch, options.connection,
                          [&](int64_t id, tasks::Connection& connection) { return cancel(options, id, connection); });
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.positional("BATCH", options->batch, "ID of the batch").required();
  command.flag("--json", options->json, "print JSON");
  tasks::add_connection_options(command, options->connection);
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace batch_cancel_cli

extern const Command batch_cancel_command;
const Command batch_cancel_command{"cancel", "Cancel all tasks of a batch", "sonde batch cancel 3",
                                   batch_cancel_cli::set_up};

}  // namespace sonde
