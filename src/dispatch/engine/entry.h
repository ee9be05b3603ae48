#pragma once

#include <cstdint>
#include <vector>

#include "dispatch/task.h"

namespace sonde::dispatch {

struct Shape;

/// A live task, and what the engine knows of it beside.
struct Entry {
  Task task;
  int64_t place = 0;              ///< in the queue: level * ageing + ready; fixed
  int64_t waits_since_ns = 0;     ///< ready, or the end of its last attempt: what the queue's time limit counts from
  int64_t not_before_ns = 0;      ///< of a retry that pauses; 0: at once
  int64_t open_dependencies = 0;  ///< tasks before it that are not over
  std::vector<int64_t> dependents;
  Shape* shape = nullptr;  ///< its place in the queue; null: not queued

  [[nodiscard]] bool needs_gpus() const { return task.spec.gpus > 0; }
};

}  // namespace sonde::dispatch
