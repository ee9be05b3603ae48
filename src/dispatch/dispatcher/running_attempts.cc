#include "dispatch/dispatcher/running_attempts.h"

#include "base/time_units.h"
#include "dispatch/dispatcher/launch.h"

namespace sonde::dispatch {
namespace {

/// Between two looks whether a task on simulated GPUs has a process.
constexpr int64_t kProcess_ns = 5 * kNsPerMillisecond;

}  // namespace

RunningAttempts::RunningAttempts(Engine& engine, const DispatcherParts& parts,
                                 std::function<void(const ProfileRecord&)> profiled)
    : engine_(&engine),
      monitor_(parts.monitor),
      gpus_([this](int64_t pid) { return executor_->task_of(pid); }),
      simulated_(parts.simulated),
      profiler_(parts, std::move(profiled)) {}

void RunningAttempts::restore(const Restored& restored) {
  profiler_.restore(restored);
  for (const Task& task : restored.tasks) {
    if (task.state == TaskState::running && task.last() != nullptr) restored_.emplace(task.id, task.last()->number);
  }
}

void RunningAttempts::adopt(int64_t now_ns) {
  profiler_.begin(*executor_, restored_, engine_->config(), now_ns);
  for (const Task* task : engine_->running()) simulated_.started(*task, indices());
  executor_->adopt(std::vector<Id>(restored_.begin(), restored_.end()));
}

void RunningAttempts::drain() {
  is_draining_ = true;
  engine_->drain();
}

bool RunningAttempts::update_gpus() { return gpus_.update(*monitor_->snapshot(), *engine_); }

void RunningAttempts::take(const EndReport& report, int64_t now_ns) {
  if (restarts(report)) return start(report.task);
  simulated_.ended(report.task, report.attempt);
  gpus_.ended(report);
  profiler_.ending(*engine_, report, now_ns);  // compares it with the task before its end
  engine_->ended(report);
  ended_.emplace_back(report.task, report.attempt);
}

/// Whether the attempt was decided and saved before the service ended, and was never started.
bool RunningAttempts::restarts(const EndReport& report) {
  const bool was_restored = restored_.erase({report.task, report.attempt}) > 0;
  if (!was_restored || report.cause != EndCause::not_started || is_draining_) return false;
  const Task* const task = engine_->find(report.task);
  return task != nullptr && task->state == TaskState::running && !task->cancelling;
}

std::vector<ProfileRecord> RunningAttempts::choose_recordings(std::span<const int64_t> starts, int64_t now_ns) {
  std::vector<ProfileRecord> records;
  profiler_.choose(*engine_, starts, now_ns, records);
  return records;
}

void RunningAttempts::start(int64_t id) {
  const Task* const task = engine_->find(id);
  if (task == nullptr || task->state != TaskState::running || task->last() == nullptr) return;
  Launch launch = launch_of(*task, engine_->config(), indices());
  profiler_.wrap(*task, engine_->config(), launch);
  executor_->start(launch);
  simulated_.started(*task, indices());
}

void RunningAttempts::cancel(int64_t id) {
  const Task* const task = engine_->find(id);
  if (task != nullptr && task->last() != nullptr) executor_->cancel(id, task->last()->number);
}

void RunningAttempts::collect(Id attempt) {
  executor_->collected(attempt.first, attempt.second);
  profiler_.ended(attempt, engine_->config());
}

void RunningAttempts::sample_soon() {
  const bool put = simulated_.look(*executor_);
  if (put || engine_->counts().queue_length > 0) monitor_->look_soon();
}

std::optional<int64_t> RunningAttempts::next_ns(int64_t now_ns) const {
  return simulated_.waits() ? std::optional(now_ns + kProcess_ns) : std::nullopt;
}

}  // namespace sonde::dispatch
