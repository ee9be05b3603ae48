#pragma once

#include <string>

#include "cli/tasks/task_text.h"

namespace sonde::tasks {

[[nodiscard]] bool is_batch_over(const Json& batch);

/// "4 running, 12 waiting".
[[nodiscard]] std::string states_text(const Json& batch);

/// "batch 3 (sweep)".
[[nodiscard]] std::string batch_title(const Json& batch);

/// Its head: how far it is, and how it was split.
[[nodiscard]] std::string batch_details(const Json& batch, const GpuNames& names);

/// Of all its tasks, by number.
[[nodiscard]] std::string batch_tasks_text(const Json& batch);

}  // namespace sonde::tasks
