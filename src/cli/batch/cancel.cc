#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/tasks/about_one.h"
#include "cli/tasks/batch_text.h"

namespace sonde {
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

void set_up(CLI::App& command, int& exit_code) {
  auto options = std::make_shared<Options>();
  command.add_option("BATCH", options->batch, "its number")->required();
  command.add_flag("--json", options->json, "as JSON");
  tasks::add_connection_options(command, options->connection);
  command.callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace

extern const Command batch_cancel_command;
const Command batch_cancel_command{"cancel", "End all tasks of a batch", "sonde batch cancel 3", set_up};

}  // namespace sonde
