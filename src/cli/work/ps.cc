#include <memory>

#include "base/text/suggest.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/tasks/connection.h"
#include "cli/tasks/ids.h"
#include "cli/tasks/task_list.h"
#include "cli/tasks/task_table.h"

namespace sonde {
namespace ps_cli {
namespace {

using tasks::Json;

/// Waiting tasks for which it is asked why: those that are next. Each is a request.
constexpr size_t kExplained = 8;

struct Options {
  tasks::ConnectionOptions connection;
  std::vector<std::string> ids;
  bool all = false;
  std::vector<std::string> states;
  std::string type;
  bool mine = false;
  size_t most = 100;
  bool json = false;
};

Status check_states(const Options& options) {
  constexpr auto kStates =
      std::to_array<std::string_view>({"blocked", "waiting", "running", "succeeded", "failed", "cancelled"});
  for (const std::string& state : options.states) {
    if (std::ranges::find(kStates, state) != kStates.end()) continue;
    return fail("unknown state '{}'{}: use blocked, waiting, running, succeeded, failed or cancelled", state,
                did_you_mean(state, kStates));
  }
  return {};
}

Result<tasks::TaskFilter> filter_of(const Options& options, tasks::Connection& connection) {
  tasks::TaskFilter filter{.type = options.type, .most = options.most};
  for (const std::string& state : options.states) filter.states += (filter.states.empty() ? "" : ",") + state;
  if (options.states.empty() && !options.all) filter.states = "blocked,waiting,running";
  if (!options.mine) return filter;
  const auto me = connection.get("/api/v1/me");
  if (!me) return std::unexpected(me.error());
  filter.by = tasks::raw_text(*me, "name");
  return filter;
}

/// Why the next ones wait. What cannot be had is left out: the table says less then.
void ask_reasons(tasks::Connection& connection, const std::vector<Json>& tasks, tasks::TableContext& context) {
  for (const Json& task : tasks) {
    if (context.reasons.size() >= kExplained) return;
    const auto id = tasks::whole_of(task, "id");
    if (!id || tasks::raw_text(task, "state") != "waiting") continue;
    const auto explained = connection.get(fmt::format("/api/v1/tasks/{}/explain", *id));
    if (!explained) return;
    if (std::string why = tasks::text_of(*explained, "summary"); !why.empty()) context.reasons[*id] = std::move(why);
  }
}

void tell_nothing(const Options& options) {
  if (options.all) {
    fmt::print(stderr, "sonde: no tasks; `sonde submit` submits one\n");
  } else {
    fmt::print(stderr, "sonde: no such task waits or runs; `sonde ps --all` also lists finished tasks\n");
  }
}

Status show_list(const Options& options, tasks::Connection& connection) {
  const auto filter = filter_of(options, connection);
  if (!filter) return std::unexpected(filter.error());
  auto list = tasks::list_tasks(connection, *filter);
  if (!list) return std::unexpected(list.error());
  if (options.json) {
    fmt::print("{}", tasks::json_text({{"tasks", list->tasks}}));
    return {};
  }
  const auto queue = connection.get("/api/v1/queue?limit=1000");
  tasks::TableContext context = tasks::table_context(queue ? *queue : Json());
  tasks::sort_tasks(list->tasks, context);
  ask_reasons(connection, list->tasks, context);
  if (list->tasks.empty()) {
    tell_nothing(options);
  } else {
    fmt::print("{}", tasks::task_table(list->tasks, context, terminal_options().width));
  }
  if (list->has_more) fmt::print(stderr, "sonde: more tasks exist; --limit raises the number\n");
  const std::string trouble = queue ? tasks::text_of(*queue, "trouble") : "";
  if (!trouble.empty()) fmt::print(stderr, "sonde: the service accepts no tasks now: {}\n", trouble);
  return {};
}

Status show_tasks(const Options& options, const std::vector<int64_t>& ids, tasks::Connection& connection) {
  Json all = Json::array();
  for (const int64_t id : ids) {
    auto task = connection.get(fmt::format("/api/v1/tasks/{}", id));
    if (!task) return std::unexpected(task.error());
    all.push_back(std::move(*task));
  }
  if (options.json) {
    fmt::print("{}", tasks::json_text({{"tasks", std::move(all)}}));
    return {};
  }
  const tasks::GpuNames names = tasks::ask_gpu_names(connection);
  for (const Json& task : all) fmt::print("{}", tasks::task_details(task, names));
  return {};
}

int usage(const Error& error) {
  report_error(error);
  return kUsage;
}

int run(const Options& options) {
  if (const Status known = check_states(options); !known) return usage(known.error());
  const auto ids = tasks::parse_ids(options.ids);
  if (!ids) return usage(ids.error());
  auto connection = tasks::Connection::open(options.connection);
  if (!connection) return report_error(connection.error());
  const Status shown = ids->empty() ? show_list(options, *connection) : show_tasks(options, *ids, *connection);
  return shown ? kDone : report_error(shown.error());
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.positional("TASK", options->ids, "IDs of tasks to show in detail: 12 14-17");
  command.flag("-a,--all", options->all, "also list finished tasks");
  command
      .option("--state", options->states, "LIST",
              "only tasks in these states: blocked, waiting, running, succeeded, failed, cancelled")
      .list();
  command.option("--type", options->type, "TYPE", "only tasks of this type");
  command.flag("--mine", options->mine, "only tasks that were submitted with this key's name");
  command.option("--limit", options->most, "N", "maximum number to list, newest first")
      .within(1, 1000000)
      .shows_default();
  command.flag("--json", options->json, "print the tasks as JSON");
  tasks::add_connection_options(command, options->connection);
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace ps_cli

extern const Command ps_command;
const Command ps_command{"ps", "List tasks: running ones, then waiting ones in queue order",
                         "sonde ps --all --type train", ps_cli::set_up, CommandGroup::operate};

}  // namespace sonde
