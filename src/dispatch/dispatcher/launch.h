#pragma once

#include <map>
#include <string>

#include "config/config.h"
#include "dispatch/executor.h"
#include "dispatch/task.h"

namespace sonde::dispatch {

/// The last attempt of a task as it is to be run. `indices`: UUID of each GPU -> its number. CUDA_VISIBLE_DEVICES names
/// its GPUs by UUID, and is empty for a task that asked for none.
[[nodiscard]] Launch launch_of(const Task& task, const config::Config& config,
                               const std::map<std::string, size_t>& indices);

}  // namespace sonde::dispatch
