#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "config/live.h"
#include "device/simulated/source.h"
#include "dispatch/decision.h"
#include "dispatch/engine.h"
#include "dispatch/executor.h"
#include "dispatch/store.h"
#include "monitor/monitor.h"

namespace sonde::dispatch {

/// Counts since the start, for the metrics: docs/serve/metrics.md.
struct DispatchCounts {
  std::map<std::pair<std::string, std::string>, int64_t> ended;  ///< by type and outcome ("succeeded", a cause's name)
  std::map<std::string, int64_t> submitted;                      ///< by type
  std::map<std::string, int64_t> refused;                        ///< by code
  std::map<std::string, int64_t> decisions;                      ///< by strategy
  std::map<std::string, int64_t> retries;                        ///< by cause
  std::map<std::string, int64_t> out_of_memory;                  ///< attempts that ended so, by type
  std::vector<double> wait_bounds_s;                             ///< upper bounds of the buckets below
  std::map<std::string, std::vector<int64_t>> wait_buckets;      ///< by priority, not cumulative, one more than bounds
  std::map<std::string, double> wait_sum_s;                      ///< by priority
  double longest_decision_s = 0;
};

/// What a moment looks like. Immutable; made after each step that changed something, for whoever asks.
struct QueueSnapshot {
  int64_t moment_ns = 0;
  EngineCounts engine;
  DispatchCounts counts;
  struct OnGpu {
    std::string uuid;
    int64_t tasks = 0;
    int64_t reserved_bytes = 0;
  };
  std::vector<OnGpu> gpus;
  std::optional<int64_t> oldest_ready_ns;  ///< of those that wait; up to a second old
  std::string trouble;  ///< why nothing is taken in now (disk full, read-only database); empty where all is well
};

/// What tasks of a type took so far, on any GPU.
struct TypeFigures {
  std::optional<MemoryEstimate> memory;
  std::optional<RunTimeEstimate> run_time;
};

/// What a submission made, or had made before with the same Idempotency-Key.
struct Made {
  int64_t id = 0;
  bool is_new = true;
};
/// Answers of submissions come from the dispatcher's thread, once the task is on disk.
using Submitted = std::function<void(std::expected<Made, Refused>)>;

struct DispatcherParts {
  config::LiveConfig* config = nullptr;
  Log* log = nullptr;
  monitor::Monitor* monitor = nullptr;
  monitor::EventLog* events = nullptr;
  TaskStore* store = nullptr;
  std::function<Result<std::unique_ptr<Executor>>(std::function<void(EndReport)> ended)> make_executor;
  std::function<std::shared_ptr<device::simulated::Source>()> simulated;  ///< null or gives null: GPUs are real
  std::function<int64_t()> now_ns;                                        ///< since 1970
  /// Findings of a profile's file: what `sonde why --json` prints of it. Can take minutes, unless `stop` becomes
  /// true; from a thread of its own. Null: profiles are kept without.
  std::function<Result<std::string>(const std::string& file, const std::atomic<bool>& stop)> analyse = {};
};

/// The dispatcher of the service: a thread that takes what happens, asks the engine, saves, and only then starts and
/// answers. All calls are thread-safe; none but start() and stop() blocks for longer than a step.
class Dispatcher {
 public:
  /// Restores what there was. The error says in one sentence why tasks cannot be run.
  [[nodiscard]] static Result<std::unique_ptr<Dispatcher>> make(DispatcherParts parts);
  virtual ~Dispatcher() = default;
  virtual void start() = 0;
  /// Accepts no more tasks, waits for inference requests and steps until the timeout; commands keep running.
  virtual void stop(std::chrono::milliseconds timeout) = 0;

  virtual void submit(TaskSpec spec, Submitted answered) = 0;
  virtual void submit_batch(std::string name, std::string idempotency_key, std::vector<TaskSpec> specs,
                            Submitted answered) = 0;
  /// True where it was running or waiting. Answers once it is on disk.
  virtual void cancel(int64_t task, const std::string& by, std::function<void(Result<bool>)> answered) = 0;

  [[nodiscard]] virtual Result<std::optional<Task>> find(int64_t task) const = 0;  ///< live or from the store
  [[nodiscard]] virtual Result<std::optional<Batch>> find_batch(int64_t batch) const = 0;
  [[nodiscard]] virtual Result<std::vector<Task>> list(const TaskQuery& query) const = 0;
  [[nodiscard]] virtual std::vector<Task> queue(size_t max) const = 0;  ///< in their order
  [[nodiscard]] virtual Result<std::optional<Explanation>> explain(int64_t task) const = 0;
  [[nodiscard]] virtual TypeFigures figures_of(const std::string& /*type*/) const { return {}; }
  [[nodiscard]] virtual std::shared_ptr<const QueueSnapshot> snapshot() const = 0;  ///< never null
  [[nodiscard]] virtual const TaskStore& store() const = 0;
  [[nodiscard]] virtual const Executor& executor() const = 0;
  /// Whether its thread completed a step within the timeout.
  [[nodiscard]] virtual bool alive(std::chrono::milliseconds timeout) const = 0;
};

}  // namespace sonde::dispatch
