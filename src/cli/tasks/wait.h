#pragma once

#include <cstdint>
#include <functional>

#include "cli/tasks/connection.h"

namespace sonde::tasks {

/// Waits until a task is as it is wanted, or an interrupt comes (then the error says nothing to anybody). Tells on
/// standard error what it waits for (that it runs only where `tells_start`), and goes on when the service is started
/// anew.
[[nodiscard]] Result<Json> wait_for_task(Connection& connection, int64_t task, bool tells_start,
                                         const std::function<bool(const Json& task)>& wanted);

/// Says that the task goes on without this command, and gives the exit status.
[[nodiscard]] int tell_interrupted(int64_t task);

/// Prints an error and gives the exit status; after an interrupt that of tell_interrupted().
[[nodiscard]] int tell_failure(const Error& error, int64_t task);

}  // namespace sonde::tasks
