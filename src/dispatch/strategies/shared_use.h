#pragma once

#include "dispatch/strategy.h"

namespace sonde::dispatch {

/// How much of a GPU is in use: the mean of those shares that are known of
///   - utilization, by the last sample,
///   - memory: the larger of what the sample says is in use and what other programs hold plus what is kept for tasks,
///   - slots: tasks that were started there, of max_concurrent_tasks_per_gpu.
/// The last two count a task from the moment that it is started, however old the sample is.
[[nodiscard]] double use_of(const config::Config& config, const Choice& choice);

}  // namespace sonde::dispatch
