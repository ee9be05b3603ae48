#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/tasks/about_one.h"
#include "cli/tasks/interrupt.h"
#include "cli/tasks/log_stream.h"
#include "cli/tasks/task_text.h"
#include "cli/tasks/wait.h"

namespace sonde {
namespace logs_cli {
namespace {

struct Options {
  tasks::ConnectionOptions connection;
  std::string task;
  bool follow = false;
  bool error_stream = false;
  std::optional<int64_t> attempt;
  std::optional<int64_t> tail;
};

int follow(const tasks::LogChoice& choice, tasks::Connection& connection) {
  const tasks::Interrupt interrupt;
  tasks::LogStream log(connection, choice);
  if (const auto shown = log.show(); !shown) return tasks::tell_failure(shown.error(), choice.task);
  if (!tasks::is_over(log.task())) return kDone;  // an attempt of a task that goes on
  const int code = tasks::outcome_exit(log.task());
  if (code != 0) {
    fmt::print(stderr, "sonde: {}{}\n", tasks::outcome_text(log.task()),
               choice.stream == "stdout"
                   ? fmt::format("; `sonde logs {} --stderr` prints its standard error", choice.task)
                   : "");
  }
  return code;
}

int show(const Options& options, int64_t id, tasks::Connection& connection) {
  const tasks::LogChoice choice{.task = id,
                                .stream = options.error_stream ? "stderr" : "stdout",
                                .attempt = options.attempt,
                                .tail = options.tail,
                                .follow = options.follow};
  if (options.follow) return follow(choice, connection);
  const Status shown = tasks::LogStream(connection, choice).show();
  return shown ? kDone : report_error(shown.error());
}

int run(const Options& options) {
  return tasks::about_one(options.task, options.connection,
                          [&](int64_t id, tasks::Connection& connection) { return show(options, id, connection); });
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.positional("TASK", options->task, "ID of the task").required();
  command.flag("-f,--follow", options->follow,
               "follow the output until the task finishes, and exit with its status; Ctrl-C leaves it running");
  command.flag("--stderr", options->error_stream, "print standard error instead of standard output");
  command.option("--attempt", options->attempt, "N", "attempt to print, from 1 (default: the last one)").above_zero();
  command.option("--tail", options->tail, "BYTES", "print only the last BYTES").above_zero();
  tasks::add_connection_options(command, options->connection);
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace logs_cli

extern const Command logs_command;
const Command logs_command{"logs", "Print the output of a task; -f follows it", "sonde logs -f 12", logs_cli::set_up,
                           CommandGroup::operate};

}  // namespace sonde
