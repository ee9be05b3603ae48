#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "config/config.h"
#include "dispatch/decision.h"
#include "dispatch/gpu_state.h"
#include "dispatch/task.h"

namespace sonde::dispatch {

/// What the tasks that the dispatcher started there take of a GPU.
struct GpuLoad {
  int64_t tasks = 0;
  int64_t reserved_bytes = 0;  ///< the larger of what is kept for each and what it holds
  bool is_kept = false;        ///< for a task with several GPUs, or one that was refused for long: see Engine
  int64_t kept_for = 0;        ///< that task
};

/// What rules look at.
struct Candidate {
  const config::Config& config;
  const Task& task;
  const GpuState& gpu;
  const GpuLoad& load;
  int64_t need_bytes = 0;  ///< of memory, on this GPU
  bool is_first = true;    ///< no GPU before it could be used; matters where gpu.multi_gpu.enabled is false
};

/// One reason for which a GPU gets no task: rules/list.inc, one file each, `extern const Rule <name>_rule`.
struct Rule {
  std::string_view name;
  std::string_view description;  ///< one line, for the docs
  std::optional<Refusal> (*refuse)(const Candidate& candidate) = nullptr;
  /// The same without texts: called thousands of times where texts are not needed.
  bool (*refuses)(const Candidate& candidate) = nullptr;
  bool is_of_gpu = false;   ///< looks at the GPU and its load only: holds for all tasks alike
  bool is_lasting = false;  ///< of the GPU, and nothing that tasks do changes it
};
[[nodiscard]] std::span<const Rule* const> rules();

/// Free memory of the GPU that is not reserved; absent if the GPU does not report its memory.
[[nodiscard]] std::optional<int64_t> room_bytes(const GpuState& gpu, const GpuLoad& load);

}  // namespace sonde::dispatch
