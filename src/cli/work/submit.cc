#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/tasks/amounts.h"
#include "cli/tasks/connection.h"
#include "cli/tasks/ids.h"
#include "cli/tasks/interrupt.h"
#include "cli/tasks/submission.h"
#include "cli/tasks/task_text.h"
#include "cli/tasks/wait.h"
#include "cli/words/other_words.h"

namespace sonde {
namespace submit_cli {
namespace {

using tasks::Json;

struct Options {
  tasks::ConnectionOptions connection;
  std::string type;
  std::string name;
  std::string priority;
  std::optional<int64_t> gpus;
  std::string memory;
  std::string time_limit;
  std::string strategy;
  std::vector<std::string> after;
  std::optional<int64_t> retries;
  std::vector<std::string> environment;
  std::string folder;
  std::string request;
  std::string model;
  std::string idempotency_key;
  bool profile = false;
  bool wait = false;
  bool json = false;
  std::vector<std::string> words;
};

void set_text(Json& body, const char* name, const std::string& value) {
  if (!value.empty()) body[name] = value;
}

Status add_limits(const Options& options, Json& body) {
  if (options.gpus) body["gpus"] = *options.gpus;
  set_text(body, "memory", options.memory);
  if (!options.time_limit.empty()) {
    const auto seconds = tasks::parse_seconds(options.time_limit);
    if (!seconds) return fail("--time-limit: {}", seconds.error().message);
    body["time_limit_seconds"] = *seconds;
  }
  if (!options.after.empty()) {
    const auto ids = tasks::parse_ids(options.after);
    if (!ids) return fail("--after: {}", ids.error().message);
    body["after"] = *ids;
  }
  if (options.retries) body["retries"] = *options.retries;
  return {};
}

/// What can be said without the service; mistakes of usage are found here.
Result<Json> body_of(const Options& options) {
  Json body = Json::object();
  set_text(body, "type", options.type);
  set_text(body, "name", options.name);
  set_text(body, "priority", options.priority);
  set_text(body, "strategy", options.strategy);
  set_text(body, "model", options.model);
  SONDE_TRY(add_limits(options, body));
  if (!options.folder.empty())
    body["working_directory"] = std::filesystem::absolute(options.folder).lexically_normal().string();
  if (options.profile) body["profile"] = true;
  if (!options.environment.empty()) {
    auto environment = tasks::environment_of(options.environment);
    if (!environment) return std::unexpected(environment.error());
    body["environment"] = std::move(*environment);
  }
  if (!options.request.empty()) {
    auto request = tasks::json_from_file(options.request);
    if (!request) return fail("--request: {}", request.error().message);
    body["request"] = std::move(*request);
  }
  if (options.type.empty() && options.words.empty()) {
    return fail("nothing to run; name a type (--type), or a command after --, for example: -- python train.py");
  }
  return body;
}

Result<Json> submitted(const Options& options, tasks::Connection& connection, Json body) {
  if (!options.words.empty()) {
    const auto member = tasks::words_member(connection, options.type);
    if (!member) return std::unexpected(member.error());
    body[*member] = options.words;
  }
  tasks::Call call{.method = "POST", .path = "/api/v1/tasks", .body = std::move(body)};
  call.idempotency_key = options.idempotency_key.empty() ? tasks::new_idempotency_key() : options.idempotency_key;
  call.waits_for_room = options.wait;
  return connection.call(call);
}

int wait_for_end(const Options& options, tasks::Connection& connection, int64_t id) {
  const auto task = tasks::wait_for_task(connection, id, true, tasks::is_over);
  if (!task) return tasks::tell_failure(task.error(), id);
  if (options.json) fmt::print("{}", tasks::json_text(*task));
  fmt::print(stderr, "sonde: {}\n", tasks::outcome_text(*task));
  return tasks::outcome_exit(*task);
}

int run(const Options& options) {
  auto body = body_of(options);
  if (!body) {
    report_error(body.error());
    return kUsage;
  }
  auto connection = tasks::Connection::open(options.connection);
  if (!connection) return report_error(connection.error());
  std::optional<tasks::Interrupt> interrupt;
  if (options.wait) interrupt.emplace();
  const auto task = submitted(options, *connection, std::move(*body));
  if (!task && tasks::Interrupt::came()) {
    fmt::print(stderr, "\nsonde: interrupted; `sonde ps` shows whether the task was accepted\n");
    return tasks::kInterruptedExit;
  }
  if (!task) return report_error(task.error());
  const auto id = tasks::whole_of(*task, "id");
  if (!id)
    return report_error({"the response of the service has no task ID; `sonde ps` shows whether the task was accepted"});
  if (!options.json) fmt::print("{}\n", *id);
  if (options.json && !options.wait) fmt::print("{}", tasks::json_text(*task));
  std::fflush(stdout);
  if (options.wait) return wait_for_end(options, *connection, *id);
  if (!options.json) {
    fmt::print(
        stderr,
        "sonde: {} is accepted; `sonde logs -f {}` follows its output, `sonde explain {}` explains its placement\n",
        tasks::title_of(*task), *id, *id);
  }
  return kDone;
}

void add_task_options(CommandLine& command, Options& o) {
  command.option("--type", o.type, "TYPE", "type of the task, declared in sonde.tasks.types of the service");
  command.option("--name", o.name, "NAME", "name of the task for display");
  command.option("--priority", o.priority, "LEVEL", "priority, such as high, normal or low");
  command.option("--gpus", o.gpus, "N", "number of GPUs, allocated together; 0: none").not_negative();
  command.option("--memory", o.memory, "SIZE",
                 "memory needed on each GPU, such as 16GiB (default: estimated from earlier tasks of the type)");
  command.option("--time-limit", o.time_limit, "TIME",
                 "time limit, such as 90s, 30m or 2h; a number alone is in seconds");
  command.option("--strategy", o.strategy, "NAME", "strategy that chooses the GPU (default: the configured one)");
  command.option("--after", o.after, "LIST", "start after these tasks succeeded: 12,14-17").repeatable();
  command.option("--retries", o.retries, "N", "number of retries, also after failures of the program").not_negative();
  command
      .option("--env", o.environment, "NAME[=VALUE]",
              "environment variable of the task; NAME alone copies the value from here; repeatable")
      .repeatable();
  command.option("--chdir", o.folder, "FOLDER", "working directory (default: a new one for the task)");
  command.option("--request", o.request, "FILE",
                 "file with the request to a model (KServe v2, JSON), for a type with workers; - reads standard input");
  command.option("--model", o.model, "NAME", "model of the request, if the type does not set it");
  command.flag("--profile", o.profile, "record a profile of the task");
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  add_task_options(command, *options);
  command.option("--idempotency-key", options->idempotency_key, "KEY",
                 "key that makes submitting idempotent: the same key again returns the same task");
  command.flag("--wait", options->wait,
               "wait until the task finishes, and if the queue is full until it is accepted; exit with its status. "
               "Ctrl-C leaves it running");
  command.flag("--json", options->json, "print the task as JSON instead of its ID");
  command.positional("WORDS", options->words, "after --: a command, or with --type the arguments that the type allows")
      .converted(unguarded_word);
  tasks::add_connection_options(command, options->connection);
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace submit_cli

extern const Command submit_command;
const Command submit_command{"submit", "Submit a task to the service, which runs it on a GPU",
                             "sonde submit --type train --memory 16GiB --time-limit 2h -- --epochs 3",
                             submit_cli::set_up, CommandGroup::operate};

}  // namespace sonde
