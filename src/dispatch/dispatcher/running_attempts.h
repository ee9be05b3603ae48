#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "dispatch/dispatcher/host_gpus.h"
#include "dispatch/dispatcher/simulated_work.h"
#include "dispatch/profiles/profiler.h"

namespace sonde::dispatch {

/// Starts attempts, cancels them and takes their ends. Keeps the executor, the profiler, the simulated GPUs and the
/// memory of the host's GPUs in step with that. One thread. Methods that change the engine need its lock.
class RunningAttempts {
 public:
  using Id = std::pair<int64_t, int64_t>;  ///< task, attempt

  /// `profiled`: called for each recording that is done, from the profiler's thread.
  RunningAttempts(Engine& engine, const DispatcherParts& parts, std::function<void(const ProfileRecord&)> profiled);

  void restore(const Restored& restored);
  /// Before all that follow.
  void set_executor(Executor& executor) { executor_ = &executor; }
  [[nodiscard]] Executor& executor() const { return *executor_; }
  /// Continues the attempts that were running when the service ended.
  void adopt(int64_t now_ns);
  /// Nothing starts any more. Changes the engine.
  void drain();
  [[nodiscard]] bool is_draining() const { return is_draining_; }
  void stop() { profiler_.stop(); }

  /// The monitor has a new round. True if the GPUs may have changed. Changes the engine.
  bool update_gpus();
  [[nodiscard]] const HostGpus::Indices& indices() const { return gpus_.indices(); }

  /// An attempt ended. Changes the engine.
  void take(const EndReport& report, int64_t now_ns);
  /// The ends since the last call. Call it after the step that processes them: the changes that they made to tasks are
  /// pending from then on.
  [[nodiscard]] std::vector<Id> take_processed() { return std::exchange(ended_, {}); }
  /// Decides which of the tasks that are about to start are recorded. Changes the engine.
  [[nodiscard]] std::vector<ProfileRecord> choose_recordings(std::span<const int64_t> starts, int64_t now_ns);
  /// Looks for tasks that run too long, and for recordings that are done. Changes the engine.
  void look_for_slow_tasks(int64_t now_ns) { profiler_.look(*engine_, gpus_.indices(), now_ns); }

  /// Starts the task's last attempt, which is on disk.
  void start(int64_t id);
  /// Ends the task's last attempt. Its end arrives with take().
  void cancel(int64_t id);
  /// The attempt's end is on disk: the executor may delete its own record of it.
  void collect(Id attempt);

  /// Puts tasks on simulated GPUs once they have a process. Lets the monitor sample soon if there are such tasks, or if
  /// tasks wait for free memory.
  void sample_soon();
  /// When sample_soon() has to be called again.
  [[nodiscard]] std::optional<int64_t> next_ns(int64_t now_ns) const;

 private:
  [[nodiscard]] bool restarts(const EndReport& report);

  Engine* engine_;
  monitor::Monitor* monitor_;
  Executor* executor_ = nullptr;
  HostGpus gpus_;
  SimulatedWork simulated_;
  std::set<Id> restored_;  ///< that were running when the service ended, and whose end is not known
  std::vector<Id> ended_;
  bool is_draining_ = false;
  profiles::Profiler profiler_;
};

}  // namespace sonde::dispatch
