#pragma once

#include <string>
#include <vector>

#include "cli/tasks/connection.h"

namespace sonde::tasks {

/// Which tasks are listed.
struct TaskFilter {
  std::string states = {};  ///< separated by commas; empty: all
  std::string type = {};
  std::string by = {};
  int64_t batch = 0;  ///< 0: any
  size_t most = 1000;
};

struct TaskList {
  std::vector<Json> tasks;  ///< the newest first
  bool has_more = false;
};

/// Page by page.
[[nodiscard]] Result<TaskList> list_tasks(Connection& connection, const TaskFilter& filter);

}  // namespace sonde::tasks
