#pragma once

#include <string>
#include <string_view>

#include "config/config.h"
#include "dispatch/gpu_state.h"
#include "dispatch/task.h"

namespace sonde::dispatch {

/// By which strategy the task goes: its own, else the configured one.
[[nodiscard]] const std::string& strategy_of(const config::Config& config, const Task& task);
/// The GPU that the mapping names for the task's type ("gpu_1", a UUID); null where the task does not go by
/// task_specific or its type has none, and where gpu.multi_gpu.enabled is false.
[[nodiscard]] const std::string* mapping_of(const config::Config& config, const Task& task);
/// Whether "gpu_1" or a UUID is that GPU.
[[nodiscard]] bool names_gpu(std::string_view name, const GpuState& gpu);

}  // namespace sonde::dispatch
