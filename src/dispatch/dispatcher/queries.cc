#include "dispatch/dispatcher/queries.h"

#include <utility>

namespace sonde::dispatch {

/// Null for a finished task: the store has it once that is saved. Under the engine's lock.
const Task* Queries::live(int64_t id) const {
  const Task* const task = (*engine_)->find(id);
  return task == nullptr || is_over(task->state) ? nullptr : task;
}

Result<std::optional<Task>> Queries::find(int64_t task) const {
  {
    const auto lock = engine_->lock();
    if (const Task* const found = live(task)) return *found;
  }
  return store_->find(task);
}

Result<std::optional<Batch>> Queries::find_batch(int64_t batch) const {
  {
    const auto lock = engine_->lock();
    if (const Batch* const found = (*engine_)->find_batch(batch)) return *found;
  }
  return store_->find_batch(batch);
}

std::vector<Task> Queries::queue(size_t max) const {
  const auto lock = engine_->lock();
  std::vector<Task> tasks;
  for (const Task* task : (*engine_)->queue(max)) tasks.push_back(*task);
  return tasks;
}

Result<std::optional<Explanation>> Queries::explain(int64_t id) const {
  std::optional<Explanation> explanation;
  {
    const auto lock = engine_->lock();
    if (const Task* const task = live(id)) {
      const int64_t now_ns = now_ns_();
      explanation = (*engine_)->explain(id, now_ns);
      if (task->state == TaskState::waiting) forecast(*explanation, now_ns);
    }
  }
  if (!explanation) {
    auto stored = explain_stored(id);
    if (!stored || !*stored) return stored;
    explanation = *std::move(stored);
  }
  auto decisions = store_->decisions(id);
  if (!decisions) return std::unexpected(std::move(decisions).error());
  explanation->decisions = *std::move(decisions);
  return explanation;
}

Result<std::optional<Explanation>> Queries::explain_stored(int64_t id) const {
  auto task = store_->find(id);
  if (!task) return std::unexpected(std::move(task).error());
  if (!*task) return std::optional<Explanation>();
  Explanation explanation;
  explanation.task = id;
  explanation.summary = (*task)->reason;
  return explanation;
}

void Queries::forecast(Explanation& explanation, int64_t now_ns) const {
  explanation.start = forecaster_.start_of(**engine_, explanation.task, now_ns, explanation.start_unknown);
  if (explanation.start) forecaster_.remember(explanation.task, now_ns, *explanation.start);
}

TypeFigures Queries::figures_of(const std::string& type) const {
  const auto lock = engine_->lock();
  const Estimates& estimates = (*engine_)->estimates();
  return {.memory = estimates.memory(type), .run_time = estimates.run_time(type, "")};
}

void Queries::check_forecasts(std::span<const TaskNews> saved) {
  const auto lock = engine_->lock();
  for (const TaskNews& news : saved) {
    const Task* const task = (*engine_)->find(news.task);
    if (task != nullptr && news.change == "started" && task->started_ns) {
      forecaster_.started(task->id, *task->started_ns);
    }
    if (news.change == "ended") forecaster_.dropped(news.task);
  }
}

}  // namespace sonde::dispatch
