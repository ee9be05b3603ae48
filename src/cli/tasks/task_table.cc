#include "cli/tasks/task_table.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "base/text/text_width.h"
#include "cli/tasks/amounts.h"
#include "cli/tasks/grid.h"
#include "cli/tasks/ids.h"
#include "cli/tasks/shell_text.h"

namespace sonde::tasks {
namespace {

bool is(const Json& task, std::string_view state) { return raw_text(task, "state") == state; }

/// Of a task without a name, what it runs.
std::string name_cell(const Json& task) {
  std::string name = text_of(task, "name");
  if (!name.empty()) return name;
  constexpr size_t kMostCommand = 30;
  const std::string command = cut_middle(shell_text(member(task, "command")), kMostCommand);
  return command.empty() ? text_of(member(task, "inference"), "model") : command;
}

/// Those that it has or had; before that how many it wants.
std::string gpus_cell(const Json& task, const TableContext& context) {
  const bool has = is(task, "running") || is_over(task);
  if (has) return gpus_text(member(last_attempt(task), "gpus"), context.gpus);
  return fmt::format("{}", whole_of(task, "gpus").value_or(0));
}

/// What is kept for it while it runs, what it held at most once it is over, what it asks for before.
std::string memory_cell(const Json& task) {
  if (is(task, "running")) return bytes_text(whole_of(last_attempt(task), "reserved_bytes"));
  return bytes_text(is_over(task) ? whole_of(last_attempt(task), "peak_bytes") : whole_of(task, "memory_bytes"));
}

std::string wait_cell(const Json& task, const TableContext& context) {
  if (const auto wait = number_of(task, "wait_seconds")) return seconds_text(wait);
  const auto ready = moment_of(task, "ready");
  return is(task, "waiting") && ready ? seconds_text(context.now - *ready) : "-";
}

std::string run_cell(const Json& task, const TableContext& context) {
  const auto started = moment_of(last_attempt(task), "started");
  if (is(task, "running") && started) return seconds_text(context.now - *started);
  return seconds_text(number_of(task, "run_seconds"));
}

std::string reason_cell(const Json& task, const TableContext& context) {
  if (flag_of(task, "cancelling") && is(task, "running")) return "being cancelled";
  if (const std::string reason = text_of(task, "reason"); !reason.empty()) return reason;
  const int64_t id = whole_of(task, "id").value_or(0);
  if (const auto known = context.reasons.find(id); known != context.reasons.end()) return known->second;
  if (const auto place = context.place.find(id); place != context.place.end() && is(task, "waiting")) {
    return place->second == 1 ? "next in the queue" : fmt::format("number {} in the queue", place->second);
  }
  if (!is(task, "blocked")) return {};
  std::vector<int64_t> after;
  for (const Json& before : list_of(task, "after")) {
    if (before.is_number_integer()) after.push_back(before.get<int64_t>());
  }
  return "after " + ids_text(std::move(after));
}

const std::vector<Column> kColumns = {{.title = "ID"},
                                      {.title = "NAME", .left = true, .least = 8, .most = 30},
                                      {.title = "TYPE", .left = true, .least = 6, .most = 20, .droppable = 1},
                                      {.title = "STATE", .left = true},
                                      {.title = "PRIO", .left = true, .least = 4, .most = 10, .droppable = 3},
                                      {.title = "GPUS", .left = true, .least = 5, .most = 24},
                                      {.title = "MEMORY", .droppable = 2},
                                      {.title = "WAIT"},
                                      {.title = "RUN"},
                                      {.title = "REASON", .left = true, .sentence = true, .least = 20}};

std::vector<std::string> row_of(const Json& task, const TableContext& context) {
  return {fmt::format("{}", whole_of(task, "id").value_or(0)),
          name_cell(task),
          text_of(task, "type"),
          text_of(task, "state"),
          text_of(task, "priority"),
          gpus_cell(task, context),
          memory_cell(task),
          wait_cell(task, context),
          run_cell(task, context),
          reason_cell(task, context)};
}

/// Where a task stands in a list: smaller comes first.
std::tuple<int, double, double> order_of(const Json& task, const TableContext& context) {
  const auto id = static_cast<double>(whole_of(task, "id").value_or(0));
  if (is(task, "running")) return {0, moment_of(last_attempt(task), "started").value_or(0), id};
  if (is_over(task)) return {3, -id, 0};
  const auto place = context.place.find(whole_of(task, "id").value_or(0));
  const double at =
      place == context.place.end() ? std::numeric_limits<double>::max() : static_cast<double>(place->second);
  return {is(task, "blocked") ? 2 : 1, at, id};
}

}  // namespace

TableContext table_context(const Json& queue) {
  TableContext context;
  context.gpus = gpu_names(queue);
  context.now = moment_of(queue, "moment").value_or(now_s());
  for (const Json& task : list_of(queue, "waiting")) {
    if (!is(task, "blocked")) context.place.emplace(whole_of(task, "id").value_or(0), context.place.size() + 1);
  }
  return context;
}

std::string task_table(const std::vector<Json>& tasks, const TableContext& context, size_t width) {
  Grid grid{.columns = kColumns, .rows = {}};
  for (const Json& task : tasks) grid.rows.push_back(row_of(task, context));
  for (auto& row : grid.rows) {
    for (std::string& cell : row) {
      if (cell.empty() && &cell != &row.back()) cell = "-";
    }
  }
  return grid_text(grid, width);
}

void sort_tasks(std::vector<Json>& tasks, const TableContext& context) {
  std::ranges::stable_sort(tasks, {}, [&](const Json& task) { return order_of(task, context); });
}

}  // namespace sonde::tasks
