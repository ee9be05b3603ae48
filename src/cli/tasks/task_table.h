#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/tasks/task_text.h"

namespace sonde::tasks {

/// What a table of tasks needs beside the tasks.
struct TableContext {
  GpuNames gpus;
  double now = 0;                          ///< of the service, seconds since 1970
  std::map<int64_t, size_t> place;         ///< in the queue, from 1
  std::map<int64_t, std::string> reasons;  ///< why some wait
};

/// Of the queue's answer; `now` is this machine's clock where it has no moment.
[[nodiscard]] TableContext table_context(const Json& queue);

/// One line a task in the order given, in the columns of `sonde ps`.
[[nodiscard]] std::string task_table(const std::vector<Json>& tasks, const TableContext& context, size_t width);

/// Running ones first, in the order of their start; then those that wait, in the order of the queue; then those that
/// wait for others; then those that are over, the newest first.
void sort_tasks(std::vector<Json>& tasks, const TableContext& context);

}  // namespace sonde::tasks
