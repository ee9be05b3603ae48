#pragma once

#include <string>
#include <string_view>

#include "dispatch/decision.h"
#include "dispatch/task.h"

/// The JSON columns of tasks.db. Moments are nanoseconds, and what is empty, 0 or false is left out.
namespace sonde::dispatch::store {

/// What was submitted, without what has a column: name, type, priority, submitted_by, idempotency_key.
[[nodiscard]] std::string spec_text(const TaskSpec& spec);
/// What became of a task, without what has a column.
[[nodiscard]] std::string detail_text(const Task& task);
[[nodiscard]] std::string batch_text(const Batch& batch);
[[nodiscard]] std::string decision_text(const Decision& decision);

/// These set those members; false where the text is none of those functions'.
[[nodiscard]] bool read_spec(std::string_view text, TaskSpec& spec);
[[nodiscard]] bool read_detail(std::string_view text, Task& task);
[[nodiscard]] bool read_batch(std::string_view text, Batch& batch);
[[nodiscard]] bool read_decision(std::string_view text, Decision& decision);

}  // namespace sonde::dispatch::store
