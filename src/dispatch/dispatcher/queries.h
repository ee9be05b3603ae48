#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dispatch/dispatcher.h"
#include "dispatch/dispatcher/guarded_engine.h"
#include "dispatch/forecast.h"

namespace sonde::dispatch {

/// Answers questions about tasks from the engine, or from the store for what the engine has dropped. Thread-safe.
/// Invariant: a task is shown as finished only once that is on disk, since after a power cut it would run again.
class Queries {
 public:
  Queries(const GuardedEngine& engine, const DispatcherParts& parts, uint64_t seed)
      : engine_(&engine), store_(parts.store), now_ns_(parts.now_ns), forecaster_(seed) {}

  [[nodiscard]] Result<std::optional<Task>> find(int64_t task) const;
  [[nodiscard]] Result<std::optional<Batch>> find_batch(int64_t batch) const;
  [[nodiscard]] std::vector<Task> queue(size_t max) const;
  [[nodiscard]] Result<std::optional<Explanation>> explain(int64_t id) const;
  [[nodiscard]] TypeFigures figures_of(const std::string& type) const;

  /// Compares forecasts with the starts of tasks. From the dispatcher's thread, before the engine drops finished tasks.
  void check_forecasts(std::span<const TaskNews> saved);

 private:
  [[nodiscard]] const Task* live(int64_t id) const;
  [[nodiscard]] Result<std::optional<Explanation>> explain_stored(int64_t id) const;
  void forecast(Explanation& explanation, int64_t now_ns) const;

  const GuardedEngine* engine_;
  const TaskStore* store_;
  std::function<int64_t()> now_ns_;
  mutable Forecaster forecaster_;  ///< under the engine's lock
};

}  // namespace sonde::dispatch
