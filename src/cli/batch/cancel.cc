#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/tasks/batch_text.h"
#include "cli/tasks/connection.h"
#include "cli/tasks/ids.h"

namespace sonde {
namespace {

struct Options {
  tasks::ConnectionOptions connection;
  std::string batch;
  bool json = false;
};

int run(const Options& options) {
  const auto id = tasks::parse_id(options.batch);
  if (!id) {
    report_error(id.error());
    return kUsage;
  }
  auto connection = tasks::Connection::open(options.connection);
  if (!connection) return report_error(connection.error());
  const auto batch = connection->call({.method = "POST", .path = fmt::format("/api/v1/batches/{}/cancel", *id)});
  if (!batch) return report_error(batch.error());
  fmt::print("{}", options.json ? tasks::json_text(*batch)
                                : fmt::format("{}: {}\n", tasks::batch_title(*batch), tasks::states_text(*batch)));
  return kDone;
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
