#pragma once

#include <string>

#include "base/error.h"
#include "dispatch/engine.h"
#include "dispatch/forecast/play.h"

namespace sonde::dispatch::forecast {

/// What is played for a task: the engine's GPUs, what runs there, and the queue up to the task.
struct QueueState {
  PlayState play;
  size_t left_out = 0;  ///< tasks before it that are beyond the thousand which are played
};

/// The error says in one sentence why it cannot be said when the task starts. It points into the engine's estimates.
[[nodiscard]] Result<QueueState> queue_state(const Engine& engine, const Task& task, int64_t now_ns);

}  // namespace sonde::dispatch::forecast
