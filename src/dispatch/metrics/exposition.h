#pragma once

#include <string>

#include "config/config.h"
#include "dispatch/dispatcher.h"

namespace sonde::dispatch {

/// What Prometheus scrapes of tasks and queue, behind what monitor::exposition() has: families by families.inc,
/// switched by gpu.monitoring.task_metrics and queue_metrics. `file_bytes`: of all tasks' files.
[[nodiscard]] std::string exposition(const QueueSnapshot& queue, const config::Config& config, int64_t file_bytes);

}  // namespace sonde::dispatch
