#pragma once

#include <string>

#include "dispatch/store.h"

namespace sonde::dispatch {

/// The smallest possible task.
inline Task small_task(int64_t id, TaskState state = TaskState::waiting) {
  Task task;
  task.id = id;
  task.spec.type = "default";
  task.spec.priority = "normal";
  task.spec.command = {"true"};
  task.spec.submitted_by = "ci";
  task.state = state;
  task.submitted_ns = task.ready_ns = id * 1000;
  return task;
}

/// An attempt that started and, if given, ended at these times.
inline Attempt attempt_of(int64_t number, int64_t started_ns, std::optional<int64_t> ended_ns = {}) {
  Attempt attempt;
  attempt.number = number;
  attempt.gpus = {"GPU-0"};
  attempt.gpu_name = "NVIDIA H100 80GB HBM3";
  attempt.started_ns = started_ns;
  attempt.ended_ns = ended_ns;
  if (ended_ns) attempt.cause = EndCause::exit;
  return attempt;
}

/// A small task that finished at this time.
inline Task ended_task(int64_t id, int64_t ended_ns) {
  Task task = small_task(id, TaskState::succeeded);
  task.cause = EndCause::exit;
  task.attempts = {attempt_of(1, ended_ns - 10, ended_ns)};
  task.started_ns = ended_ns - 10;
  task.ended_ns = ended_ns;
  return task;
}

inline Changes changes_of(const std::vector<Task>& tasks) {
  Changes changes;
  for (const Task& task : tasks) changes.tasks.push_back(&task);
  return changes;
}

}  // namespace sonde::dispatch
