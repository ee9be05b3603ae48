#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dispatch/engine.h"
#include "dispatch/gpu_state.h"
#include "dispatch/task.h"
#include "monitor/monitor.h"

namespace sonde::dispatch {

/// A round of the monitor as the engine takes it.
struct Feed {
  std::vector<GpuState> gpus;
  std::vector<Holding> held;
};

/// Attributes the memory of each GPU at the time of its sample: to running tasks, to tasks that have ended since, or to
/// other processes. One thread.
class GpuFeed {
 public:
  using Attempted = std::pair<int64_t, int64_t>;  ///< task, attempt
  using TaskOf = std::function<std::optional<Attempted>(int64_t pid)>;
  explicit GpuFeed(TaskOf task_of) : task_of_(std::move(task_of)) {}

  [[nodiscard]] Feed take(const monitor::HostSnapshot& host, std::span<const Task* const> running);
  /// What its processes held before this moment was not somebody else's.
  void ended(int64_t task, int64_t attempt, int64_t moment_ns) { ended_[{task, attempt}] = moment_ns; }

 private:
  struct Owned {
    int64_t bytes = 0;             ///< of running and ended tasks
    std::vector<int64_t> unknown;  ///< tasks of which the GPU does not say what they hold
    std::map<int64_t, int64_t> held;
  };
  [[nodiscard]] std::optional<Attempted> attempt_of(int64_t pid);
  [[nodiscard]] Owned owned(const monitor::GpuView& gpu, std::span<const Task* const> running);
  void forget_gone(const monitor::HostSnapshot& host);

  TaskOf task_of_;
  std::map<int64_t, Attempted> seen_;  ///< by process, while samples have it
  std::map<Attempted, int64_t> ended_;
};

/// Why no task may start on a GPU, in one sentence; empty where there is nothing.
[[nodiscard]] std::string gpu_trouble(const monitor::GpuView& gpu, const monitor::HostSnapshot& host);

}  // namespace sonde::dispatch
