#include "dispatch/dispatcher/core.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>
#include <variant>

#include "base/time_units.h"

namespace sonde::dispatch {
namespace {

constexpr int64_t kIdle_ns = 60 * kNsPerSecond;

uint64_t seed() { return std::random_device{}(); }

}  // namespace

Core::Core(DispatcherParts parts)
    : parts_(std::move(parts)),
      engine_(parts_.config->current(), seed()),
      queries_(engine_, parts_, seed()),
      reporter_(*engine_, snapshots_, *parts_.events, *parts_.log),
      saver_(*parts_.store, *parts_.log),
      attempts_(*engine_, parts_, [this](const ProfileRecord& record) { report_profile(record); }),
      intake_(*engine_, *parts_.store, saver_, attempts_, snapshots_),
      retention_(*parts_.store, *parts_.log) {}

Status Core::restore() {
  auto restored = parts_.store->restore();
  if (!restored) return std::unexpected(std::move(restored).error());
  for (const Measured& measured : restored->measured) engine_->estimates().learn(measured);
  attempts_.restore(*restored);
  reporter_.restore(*restored);
  engine_->restore(std::move(restored->tasks), std::move(restored->batches), restored->last_task, restored->last_batch);
  return {};
}

/// GPUs come before the attempts, since simulated work needs their indices.
void Core::begin(Executor& executor) {
  now_ns_ = parts_.now_ns();
  attempts_.set_executor(executor);
  {
    const auto lock = engine_.lock();
    follow_gpus();
  }
  attempts_.adopt(now_ns_);
  has_more_now_ = true;
  snapshots_.invalidate();
  publish();
}

/// The order of a turn:
/// 1. Configuration and GPUs, since requests are checked and placed by them.
/// 2. All requests and ends, in the order of their arrival, so that one step and one transaction serve them all.
/// 3. The engine decides, unless saving fails: what it would start could not be saved.
/// 4. One transaction saves everything. settle() does what had to wait for it.
/// 5. Responses that settle() has not sent: refusals, and errors of requests that could not be saved.
/// 6. Upkeep and publication, for which no request waits.
void Core::turn(Inputs inputs) {
  now_ns_ = std::max(now_ns_, parts_.now_ns());
  has_more_now_ = false;
  {
    const auto lock = engine_.lock();
    if (inputs.config_changed) follow_config();
    if (inputs.gpus_read) follow_gpus();
    for (Input& input : inputs.all) std::visit([&](auto& each) { take(each); }, input);
    if (saver_.works()) decide();
    if (inputs.gpus_read) attempts_.look_for_slow_tasks(now_ns_);
  }
  if (saver_.is_due(now_ns_)) save();
  intake_.responses().send();
  attempts_.sample_soon();
  remove_old();
  publish();
}

/// What may happen only once `saved` is on disk, in this order:
/// 1. Responses, since clients wait for them. A client that has a task's ID relies on it, also after a power cut.
/// 2. Starts. After a restart, the executor ends an attempt that is not on disk, and its task starts a second time.
/// 3. Cancellations. One that is not on disk is lost at a restart, and the attempt that it ended counts as failed.
/// 4. The executor's records of ends. Until then they are the only copy that survives a power cut.
/// 5. Events, log and counts. Clients take them as facts. Reports and forecasts need the finished tasks.
/// 6. The engine drops finished tasks. From then on queries read them from the store.
void Core::settle(const Pending& saved) {
  intake_.responses().saved();
  intake_.responses().send();
  for (const int64_t task : saved.starts) attempts_.start(task);
  for (const int64_t task : saved.cancels) attempts_.cancel(task);
  for (const auto& attempt : saved.ended) attempts_.collect(attempt);
  reporter_.report(saved);
  queries_.check_forecasts(saved.news);
  if (!saved.needs_saving()) return;
  snapshots_.invalidate();
  const auto lock = engine_.lock();
  engine_->drop_over();
}

void Core::save() {
  const std::string error = saver_.error();
  const std::optional<Pending> saved = saver_.save(*engine_, now_ns_);
  if (saver_.error() != error) {
    snapshots_.invalidate();
    reporter_.queue_changed();
    has_more_now_ = saver_.works();  // what arrived while nothing could be saved is decided now
  }
  if (saved) return settle(*saved);
  const auto lock = engine_.lock();
  intake_.fail_unsaved();
}

void Core::decide() {
  const auto began = std::chrono::steady_clock::now();
  Step step = engine_->step(now_ns_);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (!step.decisions.empty()) snapshots_.counts().stepped(took.count());
  std::vector<ProfileRecord> recordings = attempts_.choose_recordings(step.starts, now_ns_);
  saver_.pending().add(std::move(step), std::move(recordings), attempts_.take_processed());
}

int64_t Core::next_ns() const {
  if (has_more_now_) return now_ns_;
  if (!saver_.works()) return saver_.retry_ns();
  int64_t next = std::min(now_ns_ + kIdle_ns, retention_.next_ns());
  for (const auto& due : {engine_->next_ns(), attempts_.next_ns(now_ns_), reporter_.next_ns()}) {
    if (due) next = std::min(next, *due);
  }
  if (snapshot()->engine.queue_length == 0) return next;
  const double interval_s = engine_->config().gpu.multi_gpu.queue_processing_interval;
  return std::min(next, now_ns_ + static_cast<int64_t>(interval_s * kSecondNs));
}

void Core::drain() {
  const auto lock = engine_.lock();
  attempts_.drain();
}

int64_t Core::requests() const {
  return std::ranges::count_if(engine_->running(), [](const Task* task) { return task->spec.inference.has_value(); });
}

/// The profiler first: its thread reports through the reporter's.
void Core::end() {
  attempts_.stop();
  reporter_.stop();
}

void Core::follow_config() {
  engine_->set_config(parts_.config->current());
  snapshots_.invalidate();
}

void Core::follow_gpus() {
  if (attempts_.update_gpus()) snapshots_.invalidate();
}

/// Not while saving fails: the store could not remove them either.
void Core::remove_old() {
  if (!saver_.works()) return;
  std::vector<int64_t> removed = retention_.remove_old(engine_->config().sonde.tasks.keep_days, now_ns_);
  if (removed.empty()) return;
  reporter_.later([&executor = attempts_.executor(), tasks = std::move(removed)] {
    for (const int64_t task : tasks) executor.remove(task);
  });
}

void Core::publish() {
  snapshots_.publish(*engine_, attempts_.indices(), saver_.error(), now_ns_);
  reporter_.report_queue(saver_.error(), now_ns_);
}

/// From the profiler's thread.
void Core::report_profile(const ProfileRecord& record) {
  if (const auto task = queries_.find(record.task); task && *task) reporter_.report_profile(**task);
}

}  // namespace sonde::dispatch
