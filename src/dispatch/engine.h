#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "dispatch/decision.h"
#include "dispatch/estimates.h"
#include "dispatch/gpu_state.h"
#include "dispatch/rule.h"
#include "dispatch/task.h"

namespace sonde::dispatch {

/// How an attempt ended, as whoever ran it says.
struct EndReport {
  int64_t task = 0;
  int64_t attempt = 1;
  EndCause cause = EndCause::exit;
  std::optional<int64_t> exit_status;
  std::optional<int64_t> signal;
  std::string message;
  int64_t ended_ns = 0;
};

/// Memory that a running task holds on one of its GPUs.
struct Holding {
  int64_t task = 0;
  std::string gpu_uuid;
  int64_t bytes = 0;
};

/// Why a submission is refused: code of the API's problems, and what it says.
struct Refused {
  std::string code;  ///< "queue_full", "gpus_disabled", "unknown_dependency", "too_many_gpus", "unknown_strategy", ...
  std::string detail;  ///< in one sentence
  std::optional<int64_t> retry_after_s;
};

/// A message for those who follow: state changes of tasks and batches.
struct TaskNews {
  int64_t task = 0;
  std::string change;  ///< "submitted", "ready", "started", "retried", "ended", "cancelling", "profiled"
};

/// What a step wants done, in this order: save all of it in one transaction, then start and cancel.
struct Step {
  std::vector<int64_t> changed_tasks;    ///< to be saved whole
  std::vector<int64_t> changed_batches;  ///< likewise
  std::vector<Decision> decisions;       ///< of `starts`, to be saved
  std::vector<int64_t> starts;           ///< their last attempt is to be started
  std::vector<int64_t> cancels;          ///< their last attempt is to be ended
  std::vector<TaskNews> news;
};

struct EngineCounts {
  std::map<TaskState, int64_t> by_state;  ///< of live tasks
  std::map<std::string, int64_t> waiting_by_priority;
  int64_t queue_length = 0;  ///< blocked and waiting
};

/// The dispatcher without threads, disks and programs: what comes in changes tasks, step() says what is to be done. The
/// service drives it by events, the simulator by a virtual clock. One thread. Moments never go back.
///
/// Order: by level of priority, where a task rises one level in each `sonde.tasks.ageing` that it waits. Since all rise
/// alike, its place is the fixed number level * ageing + ready, and whatever comes later than that never passes it.
/// A task that is next and finds no GPU keeps those that it is to get soonest; others pass it only where they do not
/// make it wait longer. So neither low priority nor many GPUs starve.
class Engine {
 public:
  /// `seed`: of the strategy random.
  [[nodiscard]] static std::unique_ptr<Engine> make(std::shared_ptr<const config::Config> config, uint64_t seed);
  virtual ~Engine() = default;

  /// Before anything else, after a restart: all tasks that are not over, those that others depend on, their batches,
  /// and where ids go on. Running ones take their GPUs again by their last attempt.
  virtual void restore(std::vector<Task> tasks, std::vector<Batch> batches, int64_t last_id, int64_t last_batch) = 0;
  virtual void set_config(std::shared_ptr<const config::Config> config) = 0;
  virtual void set_gpus(std::vector<GpuState> gpus, std::span<const Holding> held) = 0;
  virtual Estimates& estimates() = 0;
  [[nodiscard]] virtual const Estimates& estimates() const = 0;
  [[nodiscard]] virtual const config::Config& config() const = 0;
  /// As set_gpus() gave them, and what started tasks take of each; both in the same order.
  [[nodiscard]] virtual std::span<const GpuState> gpus() const = 0;
  [[nodiscard]] virtual std::span<const GpuLoad> loads() const = 0;

  /// How a task ended that is over and was dropped: asked for before a submission that comes after it. Such ends are
  /// remembered by themselves for the last 100,000 tasks of this process.
  virtual void recall(int64_t task, TaskState state) = 0;

  /// The new task, whose attempt may already be decided by the next step(), or why it is refused.
  [[nodiscard]] virtual std::expected<int64_t, Refused> submit(TaskSpec spec, int64_t now_ns) = 0;
  /// All of them or none. `name` of the batch.
  [[nodiscard]] virtual std::expected<int64_t, Refused> submit_batch(std::string name, std::vector<TaskSpec> specs,
                                                                     int64_t now_ns) = 0;
  /// Takes a submission back whose saving failed.
  virtual void forget(int64_t task) = 0;
  /// False where it is over or unknown. One that waits is over at once, a running one once its end is reported.
  virtual bool cancel(int64_t task, const std::string& by, int64_t now_ns) = 0;
  /// Ends an attempt; one that is not the last, or ended before, is ignored.
  virtual void ended(const EndReport& report) = 0;
  /// The last attempt of a running task runs under a profiler: its run time teaches nothing. Before its start is saved,
  /// or while it runs.
  virtual void set_recorded(int64_t task) = 0;
  /// No new attempt starts from now on: the service is about to end.
  virtual void drain() = 0;

  /// Times that are over, what became ready, who starts where. Call it after each input, and when next_ns() is there.
  [[nodiscard]] virtual Step step(int64_t now_ns) = 0;
  /// When something happens by time alone; absent: never.
  [[nodiscard]] virtual std::optional<int64_t> next_ns() const = 0;

  /// Null where it is not live: unknown, or over and dropped.
  [[nodiscard]] virtual const Task* find(int64_t task) const = 0;
  [[nodiscard]] virtual const Batch* find_batch(int64_t batch) const = 0;
  /// Tasks that wait, in their order, at most `max`.
  [[nodiscard]] virtual std::vector<const Task*> queue(size_t max) const = 0;
  [[nodiscard]] virtual std::vector<const Task*> running() const = 0;
  [[nodiscard]] virtual EngineCounts counts() const = 0;
  /// Without `start` and `decisions`: forecast.h and the store know those.
  [[nodiscard]] virtual Explanation explain(int64_t task, int64_t now_ns) const = 0;
  /// Drops a task that is over from memory, once it is saved and nothing waits for it.
  virtual void drop_over() = 0;
};

}  // namespace sonde::dispatch
