#include <algorithm>
#include <ranges>

#include <fmt/ranges.h>

#include "base/text/suggest.h"
#include "dispatch/engine/engine_words.h"
#include "dispatch/engine/real_engine.h"
#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace {

Refused refused(std::string code, std::initializer_list<monitor::Argument> arguments = {}) {
  std::string detail = words("refused." + code, arguments);
  return {.code = std::move(code), .detail = std::move(detail), .retry_after_s = std::nullopt};
}

Refused unknown_name(std::string code, const std::string& name, const std::vector<std::string_view>& known) {
  return refused(
      std::move(code),
      {{"name", name}, {"known", fmt::format("{}", fmt::join(known, ", "))}, {"hint", did_you_mean(name, known)}});
}

}  // namespace

std::optional<Refused> RealEngine::refusal(const TaskSpec& spec) const {
  const config::MultiGpu& multi = config_->gpu.multi_gpu;
  if (!config_->sonde.tasks.enabled) return refused("tasks_disabled");
  if (!multi.queue_priority_levels.contains(spec.priority)) {
    const auto names = std::views::keys(multi.queue_priority_levels);
    return unknown_name("unknown_priority", spec.priority, {names.begin(), names.end()});
  }
  if (!spec.strategy.empty() && std::ranges::find(multi.strategies, spec.strategy) == multi.strategies.end()) {
    return unknown_name("unknown_strategy", spec.strategy, {multi.strategies.begin(), multi.strategies.end()});
  }
  for (const int64_t before : spec.after) {
    if (tasks_.contains(before) || succeeded_.contains(before)) continue;
    return refused("unknown_dependency", {{"task", std::to_string(before)}});
  }
  return spec.gpus > 0 ? refusal_of_gpus(spec) : std::nullopt;
}

/// What no waiting helps against. GPUs that are lost for now count: they may come back.
std::optional<Refused> RealEngine::refusal_of_gpus(const TaskSpec& spec) const {
  if (!config_->gpu.enabled) return refused("gpus_disabled");
  if (!fleet_.is_known()) return std::nullopt;
  const int64_t limit = config_->gpu.min_compute_capability;
  int64_t usable = 0;
  int64_t with_memory = 0;
  int64_t largest = 0;
  for (const FleetGpu& gpu : fleet_.gpus()) {
    if (gpu.state.compute_capability.value_or(limit) < limit) continue;
    usable += 1;
    if (gpu.state.memory_total_bytes.value_or(INT64_MAX) >= spec.memory_bytes.value_or(0)) with_memory += 1;
    largest = std::max(largest, gpu.state.memory_total_bytes.value_or(0));
  }
  const bool is_single = !config_->gpu.multi_gpu.enabled;
  if (is_single) usable = std::min<int64_t>(usable, 1);
  if (usable < spec.gpus) {
    const bool is_capability = static_cast<size_t>(usable) < fleet_.gpus().size() && !is_single;
    std::string why = is_single ? words("refused.too_many_gpus_single") : std::string();
    if (is_capability) why = words("refused.too_many_gpus_capability", {{"limit", shown_version(limit)}});
    return refused("too_many_gpus",
                   {{"needed", std::to_string(spec.gpus)}, {"count", std::to_string(usable)}, {"why", why}});
  }
  if (with_memory >= spec.gpus) return std::nullopt;
  return refused("too_much_memory", {{"need", shown_gib(*spec.memory_bytes)},
                                     {"gpus", spec.gpus == 1 ? "a GPU" : fmt::format("{} GPUs", spec.gpus)},
                                     {"count", std::to_string(with_memory)},
                                     {"largest", shown_gib(largest)}});
}

std::optional<Refused> RealEngine::refusal_of_length(size_t tasks, int64_t now_ns) const {
  const int64_t limit = config_->gpu.multi_gpu.max_queue_size;
  const int64_t length = counts().queue_length;
  const auto more = static_cast<int64_t>(tasks);
  if (length + more <= limit) return std::nullopt;
  if (more > limit && more > 1) {
    return refused("batch_too_large", {{"tasks", std::to_string(tasks)}, {"limit", std::to_string(limit)}});
  }
  const int64_t seconds = rate_.seconds_until(length + more - limit, now_ns);
  Refused full = refused(
      "queue_full",
      {{"length", std::to_string(length)}, {"limit", std::to_string(limit)}, {"seconds", std::to_string(seconds)}});
  full.retry_after_s = seconds;
  return full;
}

Entry& RealEngine::insert(Task task) {
  const int64_t id = task.id;
  Entry& entry = tasks_[id];
  entry.task = std::move(task);
  by_state_[entry.task.state] += 1;
  if (entry.task.state == TaskState::waiting) waiting_by_priority_[entry.task.spec.priority] += 1;
  return entry;
}

void RealEngine::admit(TaskSpec spec, int64_t batch, int64_t now_ns) {
  Task task;
  task.id = ++last_id_;
  task.spec = std::move(spec);
  task.state = TaskState::blocked;
  task.batch = batch;
  task.submitted_ns = now_ns;
  task.ready_ns = now_ns;
  Entry& entry = insert(std::move(task));
  add_news(entry.task.id, "submitted");
  await_dependencies(entry, now_ns);
}

/// Blocked until those before it are over; ready, or over too, where they are already.
void RealEngine::await_dependencies(Entry& entry, int64_t now_ns) {
  for (const int64_t before : entry.task.spec.after) {
    Entry* const other = entry_of(before);
    if (other != nullptr && !is_over(other->task.state)) {
      other->dependents.push_back(entry.task.id);
      entry.open_dependencies += 1;
      continue;
    }
    const auto dropped = succeeded_.find(before);
    const bool succeeded =
        other != nullptr ? other->task.state == TaskState::succeeded : dropped != succeeded_.end() && dropped->second;
    if (succeeded) continue;
    std::optional<TaskState> state;
    if (dropped != succeeded_.end()) state = TaskState::failed;
    if (other != nullptr) state = other->task.state;
    return finish(entry, TaskState::cancelled, EndCause::dependency, reason_of_dependency(before, state), now_ns);
  }
  if (entry.open_dependencies == 0) ready(entry, now_ns);
}

std::expected<int64_t, Refused> RealEngine::submit(TaskSpec spec, int64_t now_ns) {
  if (auto no = refusal(spec)) return std::unexpected(*std::move(no));
  if (auto no = refusal_of_length(1, now_ns)) return std::unexpected(*std::move(no));
  admit(std::move(spec), 0, now_ns);
  return last_id_;
}

std::expected<int64_t, Refused> RealEngine::submit_batch(std::string name, std::vector<TaskSpec> specs,
                                                         int64_t now_ns) {
  if (specs.empty()) return std::unexpected(refused("empty_batch"));
  for (const TaskSpec& spec : specs) {
    if (auto no = refusal(spec)) return std::unexpected(*std::move(no));
  }
  if (auto no = refusal_of_length(specs.size(), now_ns)) return std::unexpected(*std::move(no));
  BatchEntry& entry = batches_[++last_batch_];
  entry.live = static_cast<int64_t>(specs.size());
  entry.batch = {.id = last_batch_,
                 .name = std::move(name),
                 .submitted_by = specs.front().submitted_by,
                 .idempotency_key = specs.front().idempotency_key,
                 .submitted_ns = now_ns,
                 .tasks = {},
                 .split = {}};
  changed_batches_.insert(last_batch_);
  unsplit_.insert(last_batch_);
  judges_batches_ = true;
  for (TaskSpec& spec : specs) {
    spec.idempotency_key
        .clear();  // it is the batch's: a task with it would be taken for the answer to a single submission
    admit(std::move(spec), last_batch_, now_ns);
    entry.batch.tasks.push_back(last_id_);
  }
  return last_batch_;
}

void RealEngine::recall(int64_t task, TaskState state) {
  if (!tasks_.contains(task) && is_over(state)) remember_end(task, state);
}

void RealEngine::remember_end(int64_t task, TaskState state) {
  succeeded_[task] = state == TaskState::succeeded;
  if (succeeded_.size() > kRememberedEnds) succeeded_.erase(succeeded_.begin());
}

void RealEngine::forget(int64_t id) {
  const auto at = tasks_.find(id);
  if (at == tasks_.end()) return;
  Entry& entry = at->second;
  dequeue(entry);
  fleet_.release(id);
  keeping_.drop(id);
  settle(entry, entry.task.submitted_ns);
  set_state(entry, TaskState::cancelled);
  by_state_[TaskState::cancelled] -= 1;
  running_.erase(id);
  over_.erase(id);
  changed_.erase(id);
  std::erase(cancels_, id);
  std::erase_if(news_, [&](const TaskNews& news) { return news.task == id; });
  forget_in_batch(entry.task);
  tasks_.erase(at);
  is_dirty_ = true;
}

void RealEngine::forget_in_batch(const Task& task) {
  const auto found = batches_.find(task.batch);
  if (found == batches_.end()) return;
  std::erase(found->second.batch.tasks, task.id);
  if (--found->second.live > 0) return;
  changed_batches_.erase(task.batch);
  unsplit_.erase(task.batch);
  batches_.erase(found);
}

void RealEngine::restore(std::vector<Task> tasks, std::vector<Batch> batches, int64_t last_id, int64_t last_batch) {
  last_id_ = last_id;
  last_batch_ = last_batch;
  std::ranges::sort(tasks, {}, &Task::id);
  for (Batch& batch : batches) {
    const int64_t id = batch.id;
    unsplit_.insert(id);  // tasks without a GPU may have been left of one that was lost
    batches_[id] = {.batch = std::move(batch)};
  }
  std::vector<int64_t> ids;
  for (Task& task : tasks) {
    ids.push_back(task.id);
    const auto batch = batches_.find(task.batch);
    if (batch != batches_.end()) batch->second.live += 1;
    insert(std::move(task));
  }
  std::erase_if(batches_, [](const auto& batch) { return batch.second.live == 0; });
  std::erase_if(unsplit_, [&](int64_t batch) { return !batches_.contains(batch); });
  for (const int64_t id : ids) restore_waiting(*entry_of(id));
}

/// A task takes the place that it had: the GPUs of its last attempt, the queue, or behind those that it comes after.
void RealEngine::restore_waiting(Entry& entry) {
  const Task& task = entry.task;
  if (is_over(task.state)) {
    over_.insert(task.id);
  } else if (task.state == TaskState::running && task.last() != nullptr) {
    const Attempt& last = *task.last();
    running_.insert(task.id);
    if (task.cancelling) cancels_.push_back(task.id);
    fleet_.take(task.id, {.started_ns = last.started_ns,
                          .gpus = last.gpus,
                          .reserved_bytes = last.reserved_bytes,
                          .is_share = last.memory_source == MemorySource::share && !task.least_room_bytes,
                          .held = {},
                          .run_time = needs_.run_time(task.spec.type, last.gpu_name),
                          .time_limit_ns = task.spec.time_limit_ns});
  } else if (task.state == TaskState::blocked) {
    await_dependencies(entry, std::max(task.ready_ns, task.submitted_ns));
  } else {
    enqueue(entry);
  }
}

}  // namespace sonde::dispatch
