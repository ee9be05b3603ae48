#include <algorithm>
#include <utility>

#include "dispatch/engine/engine_words.h"
#include "dispatch/engine/real_engine.h"
#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {

extern const Rule mapped_gpu_rule;
extern const Rule worker_rule;

namespace ends {
namespace {

/// A worker that does not answer, or a program that cannot be started, may do so in a moment: 1, 2, 4 ... 32 s.
constexpr int64_t kFirstPauseNs = 1'000'000'000;
constexpr int64_t kMaxDoublings = 5;

int64_t pause_ns(const Task& task) {
  const EndCause cause = task.attempts.back().cause;
  if (cause != EndCause::worker && cause != EndCause::not_started) return 0;
  return kFirstPauseNs << std::min<int64_t>(kMaxDoublings, static_cast<int64_t>(task.attempts.size()) - 1);
}

bool is_success(const Attempt& attempt) { return attempt.cause == EndCause::exit && attempt.exit_status == 0; }

}  // namespace
}  // namespace ends

std::string how_it_ended(const Task& task) {
  const Attempt& last = task.attempts.back();
  std::string why =
      words("ended." + std::string(cause_name(last.cause)), {{"status", std::to_string(last.exit_status.value_or(0))},
                                                             {"signal", std::to_string(last.signal.value_or(0))},
                                                             {"limit", shown_ns(task.spec.time_limit_ns.value_or(0))}});
  if (!last.message.empty()) why += ": " + last.message;
  if (task.attempts.size() == 1) return why;
  return words("ended.after_attempts", {{"reason", why}, {"attempts", std::to_string(task.attempts.size())}});
}

void RealEngine::ready(Entry& entry, int64_t now_ns) {
  entry.task.ready_ns = now_ns;
  set_state(entry, TaskState::waiting);
  add_news(entry.task.id, "ready");
  enqueue(entry);
}

/// The one way for a task to be over.
void RealEngine::finish(Entry& entry, TaskState state, EndCause cause, std::string reason, int64_t now_ns) {
  dequeue(entry);
  keeping_.drop(entry.task.id);
  running_.erase(entry.task.id);
  set_state(entry, state);
  entry.task.cause = cause;
  entry.task.reason = std::move(reason);
  entry.task.ended_ns = now_ns;
  over_.insert(entry.task.id);
  add_news(entry.task.id, "ended");
  is_dirty_ = true;
  settle(entry, now_ns);
}

/// Those that come after it are ready, or over too. A list instead of calls in calls: a chain may be as long as the
/// queue.
void RealEngine::settle(Entry& entry, int64_t now_ns) {
  unsettled_.push_back(entry.task.id);
  if (unsettled_.size() > 1) return;
  for (size_t next = 0; next < unsettled_.size();) {  // it grows meanwhile
    if (Entry* const before = entry_of(unsettled_[next++])) settle_dependents(*before, now_ns);
  }
  unsettled_.clear();
}

void RealEngine::settle_dependents(Entry& before, int64_t now_ns) {
  const std::vector<int64_t> dependents = std::exchange(before.dependents, {});
  const TaskState state = before.task.state;
  for (const int64_t id : dependents) {
    Entry* const entry = entry_of(id);
    if (entry == nullptr || entry->task.state != TaskState::blocked) continue;
    if (state == TaskState::succeeded) {
      entry->open_dependencies -= 1;
      if (entry->open_dependencies == 0) ready(*entry, now_ns);
      continue;
    }
    finish(*entry, TaskState::cancelled, EndCause::dependency, reason_of_dependency(before.task.id, state), now_ns);
  }
}

std::string RealEngine::reason_of_dependency(int64_t before, std::optional<TaskState> state) {
  std::string how = words("how.unknown");
  if (state == TaskState::failed) how = words("how.failed");
  if (state == TaskState::cancelled) how = words("how.cancelled");
  return words("ended.dependency", {{"task", std::to_string(before)}, {"how", how}});
}

bool RealEngine::cancel(int64_t task, const std::string& by, int64_t now_ns) {
  Entry* const entry = entry_of(task);
  if (entry == nullptr || is_over(entry->task.state)) return false;
  if (entry->task.cancelling) return true;
  entry->task.cancelled_by = by;
  if (entry->task.state != TaskState::running) {
    finish(*entry, TaskState::cancelled, EndCause::cancelled, words("ended.cancelled", {{"by", by}}), now_ns);
    return true;
  }
  entry->task.cancelling = true;
  cancels_.push_back(task);
  add_news(task, "cancelling");
  return true;
}

void RealEngine::set_recorded(int64_t task) {
  Entry* const entry = entry_of(task);
  if (entry == nullptr || entry->task.state != TaskState::running) return;
  entry->task.attempts.back().recorded = true;
}

void RealEngine::learn(const Entry& entry) {
  const Attempt& last = entry.task.attempts.back();
  if (last.gpus.empty() && !ends::is_success(last)) return;
  Measured measured{.type = entry.task.spec.type,
                    .gpu_name = last.gpu_name,
                    .gpus = entry.task.spec.gpus,
                    .peak_bytes = last.peak_bytes,
                    .run_ns = std::nullopt,
                    .out_of_memory = last.cause == EndCause::out_of_memory,
                    .reserved_bytes = last.reserved_bytes,
                    .ended_ns = *last.ended_ns,
                    .gpu_uuid = last.gpus.size() == 1 ? last.gpus.front() : std::string()};
  if (ends::is_success(last) && !last.recorded) measured.run_ns = *last.ended_ns - last.started_ns;
  estimates_.learn(measured);
  needs_.forget_type(measured.type);
}

void RealEngine::ended(const EndReport& report) {
  Entry* const entry = entry_of(report.task);
  if (entry == nullptr || entry->task.state != TaskState::running) return;
  Attempt& last = entry->task.attempts.back();
  if (last.number != report.attempt || last.ended_ns) return;
  last.ended_ns = std::max(report.ended_ns, last.started_ns);
  last.cause = report.cause;
  last.exit_status = report.exit_status;
  last.signal = report.signal;
  last.message = report.message;
  learn(*entry);
  conclude(*entry);
}

/// What an attempt's end makes of its task.
void RealEngine::conclude(Entry& entry) {
  const Task& task = entry.task;
  const Attempt& last = task.attempts.back();
  const std::optional<int64_t> room = last.cause == EndCause::out_of_memory ? room_it_had(entry) : std::nullopt;
  fleet_.release(task.id);
  is_dirty_ = true;
  const int64_t now_ns = *last.ended_ns;
  if (task.cancelling) {
    return finish(entry, TaskState::cancelled, EndCause::cancelled,
                  words("ended.cancelled", {{"by", task.cancelled_by}}), now_ns);
  }
  if (ends::is_success(last)) return finish(entry, TaskState::succeeded, EndCause::exit, {}, now_ns);
  std::string reason = how_it_ended(task);
  if (is_retried(task)) {
    if (!room) return retry(entry);
    entry.task.least_room_bytes = std::max(*room, task.least_room_bytes.value_or(0));
    entry.task.only_gpus.clear();  // a batch's GPU that is too small for it does not hold it
    if (has_more_room(task)) return retry(entry);
    reason = words("ended.out_of_memory_last", {{"least", shown_gib(*task.least_room_bytes)}});
  }
  finish(entry, TaskState::failed, last.cause, std::move(reason), now_ns);
}

bool RealEngine::is_retried(const Task& task) {
  if (static_cast<int64_t>(task.attempts.size()) > task.spec.retries) return false;
  switch (task.attempts.back().cause) {
    case EndCause::out_of_memory:
    case EndCause::lost:
    case EndCause::worker: return true;
    case EndCause::exit:
    case EndCause::signal:
    case EndCause::not_started: return task.spec.retry_failures;
    case EndCause::none:
    case EndCause::time_limit:
    case EndCause::queue_timeout:
    case EndCause::cancelled:
    case EndCause::dependency: return false;
  }
  return false;
}

/// It keeps its place: it is before all that came after it.
void RealEngine::retry(Entry& entry) {
  set_state(entry, TaskState::waiting);
  running_.erase(entry.task.id);
  const int64_t pause = ends::pause_ns(entry.task);
  if (pause > 0) entry.not_before_ns = *entry.task.attempts.back().ended_ns + pause;
  add_news(entry.task.id, "retried");
  enqueue(entry);
}

/// Memory that nobody but the task held or was kept for, on that of its GPUs where it was least: what did not suffice.
std::optional<int64_t> RealEngine::room_it_had(const Entry& entry) const {
  std::optional<int64_t> min;
  const Allocation* const allocation = fleet_.allocation(entry.task.id);
  if (allocation == nullptr) return min;
  for (const std::string& uuid : allocation->gpus) {
    const FleetGpu* const gpu = fleet_.find(uuid);
    const std::optional<int64_t> room = gpu == nullptr ? std::nullopt : room_bytes(gpu->state, gpu->load);
    if (!room) continue;
    const int64_t had = *room + fleet_.bytes_on(*allocation, gpu->state);
    min = std::min(min.value_or(had), had);
  }
  return min;
}

/// Whether enough GPUs would have more, were all tasks there over.
bool RealEngine::has_more_room(const Task& task) const {
  const auto has_more = [&](const FleetGpu& gpu) {
    if (!gpu.is_well) return false;
    const Candidate candidate{.config = *config_, .task = task, .gpu = gpu.state, .load = gpu.load};
    if (mapped_gpu_rule.refuses(candidate) || worker_rule.refuses(candidate)) return false;
    const std::optional<int64_t> room = room_bytes(gpu.state, gpu.load);
    return !room || *room + gpu.load.reserved_bytes > *task.least_room_bytes;
  };
  return std::ranges::count_if(fleet_.gpus(), has_more) >= task.spec.gpus;
}

void RealEngine::expire(int64_t now_ns) {
  while (!deadlines_.empty() && deadlines_.begin()->first + timeout_ns() <= now_ns) {
    Entry& entry = *entry_of(deadlines_.begin()->second);
    finish(entry, TaskState::cancelled, EndCause::queue_timeout,
           words("ended.queue_timeout", {{"limit", shown_ns(timeout_ns())}}), now_ns);
  }
}

/// Retries whose pause is over.
void RealEngine::wake(int64_t now_ns) {
  while (!pausing_.empty() && pausing_.begin()->first <= now_ns) {
    Entry& entry = *entry_of(pausing_.begin()->second);
    pausing_.erase(pausing_.begin());
    entry.not_before_ns = 0;
    queue_.add(entry);
    is_dirty_ = true;
  }
}

}  // namespace sonde::dispatch
