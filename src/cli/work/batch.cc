#include <array>
#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/tasks/batch_file.h"
#include "cli/tasks/batch_text.h"
#include "cli/tasks/connection.h"
#include "cli/tasks/interrupt.h"
#include "cli/tasks/submission.h"

namespace sonde {

#define SONDE_BATCH_COMMAND(name) extern const Command batch_##name##_command;
#include "cli/batch/list.inc"
#undef SONDE_BATCH_COMMAND

namespace batch_cli {
namespace {

using tasks::Json;

const std::array kCommands = {
#define SONDE_BATCH_COMMAND(name) batch_##name##_command,
#include "cli/batch/list.inc"
#undef SONDE_BATCH_COMMAND
};

struct Options {
  tasks::ConnectionOptions connection;
  std::string file;
  std::string idempotency_key;
  bool wait = false;
  bool json = false;
};

int tell_interrupted(int64_t id) {
  fmt::print(stderr,
             "\nsonde: batch {} keeps running: `sonde batch show {}` shows it, `sonde batch cancel {}` cancels it\n",
             id, id, id);
  return tasks::kInterruptedExit;
}

int wait_for_end(const Options& options, tasks::Connection& connection, int64_t id) {
  const tasks::Call call{.path = fmt::format("/api/v1/batches/{}", id), .waits_for_service = true};
  while (true) {
    const auto batch = connection.call(call);
    if (tasks::Interrupt::came()) return tell_interrupted(id);
    if (!batch) return report_error(batch.error());
    if (!tasks::is_batch_over(*batch)) {
      tasks::Interrupt::sleep(std::chrono::milliseconds(500));
      continue;
    }
    if (options.json) fmt::print("{}", tasks::json_text(*batch));
    fmt::print(stderr, "sonde: {} finished: {}\n", tasks::batch_title(*batch), tasks::states_text(*batch));
    const Json& states = tasks::member(*batch, "states");
    const bool all =
        tasks::whole_of(states, "failed").value_or(0) + tasks::whole_of(states, "cancelled").value_or(0) == 0;
    return all ? kDone : kCannot;
  }
}

int submit(const Options& options, Json body) {
  auto connection = tasks::Connection::open(options.connection);
  if (!connection) return report_error(connection.error());
  std::optional<tasks::Interrupt> interrupt;
  if (options.wait) interrupt.emplace();
  tasks::Call call{.method = "POST", .path = "/api/v1/batches", .body = std::move(body)};
  call.idempotency_key = options.idempotency_key.empty() ? tasks::new_idempotency_key() : options.idempotency_key;
  call.waits_for_room = options.wait;
  const auto batch = connection->call(call);
  if (!batch) return report_error(batch.error());
  const auto id = tasks::whole_of(*batch, "id");
  if (!id)
    return report_error(
        {"the response of the service has no batch ID; `sonde batch list` shows whether the batch was accepted"});
  if (!options.json) fmt::print("{}\n", *id);
  if (options.json && !options.wait) fmt::print("{}", tasks::json_text(*batch));
  std::fflush(stdout);
  if (options.wait) return wait_for_end(options, *connection, *id);
  if (!options.json) {
    fmt::print(stderr, "sonde: {} is accepted, {}; `sonde batch show {}` shows its progress\n",
               tasks::batch_title(*batch), tasks::batch_tasks_text(*batch), *id);
  }
  return kDone;
}

int run(const Options& options) {
  auto body = options.file.empty()
                  ? fail("FILE is missing; name the file of the batch, or one of show, list and cancel")
                  : tasks::batch_from_file(options.file);
  if (body) return submit(options, std::move(*body));
  report_error(body.error());
  return kUsage;
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.positional("FILE", options->file, "batch as YAML or JSON (docs/serve/tasks.md); - reads standard input");
  command.option("--idempotency-key", options->idempotency_key, "KEY",
                 "key that makes submitting idempotent: the same key again returns the same batch");
  command.flag("--wait", options->wait,
               "wait until the batch finishes, and if the queue is full until it is accepted; exit with 0 if all tasks "
               "succeeded, else 1");
  command.flag("--json", options->json, "print the batch as JSON instead of its ID");
  tasks::add_connection_options(command, options->connection);
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace batch_cli

extern const Command batch_command;
const Command batch_command{"batch",
                            "Submit many tasks that are split over the GPUs; show, list and cancel them",
                            "sonde batch examples/batch.yaml",
                            batch_cli::set_up,
                            CommandGroup::operate,
                            batch_cli::kCommands};

}  // namespace sonde
