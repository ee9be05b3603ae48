#include <algorithm>
#include <cmath>

#include "dispatch/engine/real_engine.h"

namespace sonde::dispatch {
namespace {

int64_t ns_of(double seconds) { return static_cast<int64_t>(std::llround(seconds * 1e9)); }

/// Rank of the task's level among the distinct numbers. A level that the configuration no longer has is the last.
int64_t rank_of(const config::MultiGpu& config, const std::string& priority) {
  const auto own = config.queue_priority_levels.find(priority);
  std::set<int64_t> before;
  for (const auto& [name, number] : config.queue_priority_levels) {
    if (own == config.queue_priority_levels.end() || number < own->second) before.insert(number);
  }
  return static_cast<int64_t>(before.size());
}

}  // namespace

RealEngine::RealEngine(std::shared_ptr<const config::Config> config, uint64_t seed)
    : config_(std::move(config)),
      needs_(estimates_),
      keeping_(fleet_, needs_),
      placement_(fleet_, keeping_, needs_, seed) {}

std::unique_ptr<Engine> Engine::make(std::shared_ptr<const config::Config> config, uint64_t seed) {
  return std::make_unique<RealEngine>(std::move(config), seed);
}

int64_t RealEngine::place_now(const Task& task) const {
  return rank_of(config_->gpu.multi_gpu, task.spec.priority) * ns_of(config_->sonde.tasks.ageing) + task.ready_ns;
}

int64_t RealEngine::timeout_ns() const { return ns_of(config_->gpu.multi_gpu.queue_timeout); }

Entry* RealEngine::entry_of(int64_t task) {
  const auto found = tasks_.find(task);
  return found == tasks_.end() ? nullptr : &found->second;
}

void RealEngine::add_news(int64_t task, std::string change) {
  changed_.insert(task);
  news_.push_back({.task = task, .change = std::move(change)});
}

/// Counts go with states: nothing else sets them.
void RealEngine::set_state(Entry& entry, TaskState state) {
  const auto count = [&](int64_t by) {
    by_state_[entry.task.state] += by;
    if (entry.task.state == TaskState::waiting) waiting_by_priority_[entry.task.spec.priority] += by;
  };
  count(-1);
  entry.task.state = state;
  count(1);
}

/// Into the queue; where its retry pauses, into that list first. Its time limit counts in both.
void RealEngine::enqueue(Entry& entry) {
  const Attempt* const last = entry.task.last();
  entry.waits_since_ns = std::max(entry.task.ready_ns, last == nullptr ? 0 : last->ended_ns.value_or(0));
  entry.place = place_now(entry.task);
  deadlines_.emplace(entry.waits_since_ns, entry.task.id);
  if (entry.not_before_ns > 0) {
    pausing_.emplace(entry.not_before_ns, entry.task.id);
    return;
  }
  queue_.add(entry);
  is_dirty_ = true;
}

void RealEngine::dequeue(Entry& entry) {
  deadlines_.erase({entry.waits_since_ns, entry.task.id});
  pausing_.erase({entry.not_before_ns, entry.task.id});
  entry.not_before_ns = 0;
  queue_.remove(entry);
}

/// Each task where the configuration of now puts it.
void RealEngine::replace_all() {
  std::vector<int64_t> waiting;
  for (const Place& place : queue_.order()) waiting.push_back(place.task);
  for (const int64_t task : waiting) {
    Entry& entry = *entry_of(task);
    queue_.remove(entry);
    entry.place = place_now(entry.task);
    queue_.add(entry);
  }
}

void RealEngine::set_config(std::shared_ptr<const config::Config> config) {
  const bool moves = config->gpu.multi_gpu.queue_priority_levels != config_->gpu.multi_gpu.queue_priority_levels ||
                     config->sonde.tasks.ageing != config_->sonde.tasks.ageing;
  config_ = std::move(config);
  fleet_.refresh(*config_);
  is_dirty_ = judges_batches_ = judges_mappings_ = true;
  if (moves) replace_all();
}

void RealEngine::set_gpus(std::vector<GpuState> gpus, std::span<const Holding> held) {
  fleet_.set_gpus(std::move(gpus), held);
  fleet_.refresh(*config_);
  for (const Holding& holding : held) {
    Entry* const entry = entry_of(holding.task);
    if (entry == nullptr || entry->task.state != TaskState::running) continue;
    std::optional<int64_t>& peak = entry->task.attempts.back().peak_bytes;
    peak = std::max(peak.value_or(0), holding.bytes);
  }
  is_dirty_ = judges_batches_ = true;
}

Estimates& RealEngine::estimates() {
  needs_.forget_all();
  is_dirty_ = true;
  return estimates_;
}

const Task* RealEngine::find(int64_t task) const {
  const auto found = tasks_.find(task);
  return found == tasks_.end() ? nullptr : &found->second.task;
}

const Batch* RealEngine::find_batch(int64_t batch) const {
  const auto found = batches_.find(batch);
  return found == batches_.end() ? nullptr : &found->second.batch;
}

std::vector<const Task*> RealEngine::queue(size_t max) const {
  std::vector<const Task*> all;
  for (const Place& place : queue_.order()) {
    if (all.size() == max) break;
    all.push_back(find(place.task));
  }
  for (const auto& [moment, task] : pausing_) {
    if (all.size() == max) break;
    all.push_back(find(task));
  }
  return all;
}

std::vector<const Task*> RealEngine::running() const {
  std::vector<const Task*> all;
  for (const int64_t task : running_) all.push_back(find(task));
  return all;
}

EngineCounts RealEngine::counts() const {
  EngineCounts counts{.by_state = {}, .waiting_by_priority = waiting_by_priority_};
  for (const auto& [state, count] : by_state_) {
    if (!is_over(state)) counts.by_state[state] = count;
    if (state == TaskState::blocked || state == TaskState::waiting) counts.queue_length += count;
  }
  return counts;
}

std::optional<int64_t> RealEngine::next_ns() const {
  std::optional<int64_t> next;
  if (!deadlines_.empty()) next = deadlines_.begin()->first + timeout_ns();
  if (!pausing_.empty()) next = std::min(next.value_or(pausing_.begin()->first), pausing_.begin()->first);
  return next;
}

void RealEngine::drop_over() {
  std::erase_if(over_, [&](int64_t task) {
    if (changed_.contains(task)) return false;
    const auto at = tasks_.find(task);
    const int64_t batch = at->second.task.batch;
    remember_end(task, at->second.task.state);
    set_state(at->second, TaskState::succeeded);
    by_state_[TaskState::succeeded] -= 1;
    tasks_.erase(at);
    const auto of_batch = batches_.find(batch);
    if (of_batch != batches_.end() && --of_batch->second.live == 0) {
      unsplit_.erase(batch);
      batches_.erase(of_batch);
    }
    return true;
  });
}

}  // namespace sonde::dispatch
