#include "dispatch/dispatcher/core.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "base/time_units.h"
#include "dispatch/dispatcher/launch.h"

namespace sonde::dispatch {
namespace {

constexpr double kSecondsPerDay = 86'400;
/// After which saving is tried again.
constexpr int64_t kRetry_ns = kNsPerSecond;
constexpr int64_t kRetryAfter_s = 5;
/// In which tasks on simulated GPUs are looked at for their process.
constexpr int64_t kProcess_ns = 5 * kNsPerMillisecond;
constexpr int64_t kQueueEvents_ns = kNsPerSecond / 2;
constexpr int64_t kRemove_ns = 600 * kNsPerSecond;
constexpr int64_t kRemoveMore_ns = 5 * kNsPerSecond;
constexpr size_t kRemovedAtOnce = 1000;
/// A repeatedly full disk is logged at most once a minute.
constexpr int64_t kLogApart_ns = 60 * kNsPerSecond;
constexpr int64_t kIdle_ns = 60 * kNsPerSecond;

int64_t of_seconds(double seconds) { return static_cast<int64_t>(seconds * static_cast<double>(kNsPerSecond)); }

uint64_t seed() { return std::random_device{}(); }

}  // namespace

Core::Core(DispatcherParts parts)
    : parts_(std::move(parts)),
      config_(parts_.config->current()),
      engine_(Engine::make(config_, seed())),
      feed_([this](int64_t pid) { return executor_->task_of(pid); }),
      simulated_(parts_.simulated),
      forecaster_(seed()),
      event_writer_(*parts_.events, *parts_.log),
      profiler_(parts_, [this](const ProfileRecord& record) { publish_profile(record); }),
      snapshot_(std::make_shared<QueueSnapshot>()) {}

Status Core::restore() {
  auto was = parts_.store->restore();
  if (!was) return std::unexpected(std::move(was).error());
  for (const Measured& measured : was->measured) engine_->estimates().learn(measured);
  profiler_.restore(*was);
  for (const Batch& batch : was->batches) batches_[batch.id].split = batch.split;
  for (const Task& task : was->tasks) {
    if (task.state == TaskState::running && task.last() != nullptr) restored_.emplace(task.id, task.last()->number);
    if (task.batch == 0) continue;
    if (is_over(task.state)) {
      ++batches_[task.batch].over[task.state];
    } else {
      ++batches_[task.batch].left;
    }
  }
  std::erase_if(batches_, [](const auto& entry) { return entry.second.left == 0; });
  engine_->restore(std::move(was->tasks), std::move(was->batches), was->last_task, was->last_batch);
  return {};
}

void Core::begin(Executor& executor) {
  executor_ = &executor;
  now_ns_ = parts_.now_ns();
  const std::vector<std::pair<int64_t, int64_t>> running(restored_.begin(), restored_.end());
  {
    const std::scoped_lock lock(mutex_);
    follow_gpus();
  }
  profiler_.begin(executor, restored_, *config_, now_ns_);
  for (const Task* task : engine_->running()) simulated_.started(*task, indices_);
  executor.adopt(running);
  changed_ = again_ = true;
  publish();
}

void Core::turn(Inputs inputs) {
  now_ns_ = std::max(now_ns_, parts_.now_ns());
  again_ = false;
  {
    const std::scoped_lock lock(mutex_);
    if (inputs.config_changed) follow_config();
    if (inputs.gpus_read) follow_gpus();
    for (Input& input : inputs.all) std::visit([&](auto& each) { take(each); }, input);
    if (trouble_.empty()) step();
    if (inputs.gpus_read) profiler_.look(*engine_, indices_, now_ns_);
  }
  if (trouble_.empty() || now_ns_ >= retry_ns_) save();
  give_replies();
  look_soon();
  remove_old();
  publish();
}

int64_t Core::next_ns() const {
  if (again_) return now_ns_;
  if (!trouble_.empty()) return retry_ns_;
  int64_t next = now_ns_ + kIdle_ns;
  if (const auto by_time = engine_->next_ns()) next = std::min(next, *by_time);
  if (snapshot_->engine.queue_length > 0) {
    next = std::min(next, now_ns_ + of_seconds(config_->gpu.multi_gpu.queue_processing_interval));
  }
  if (simulated_.waits()) next = std::min(next, now_ns_ + kProcess_ns);
  if (queue_unpublished_) next = std::min(next, queue_published_ns_ + kQueueEvents_ns);
  return std::min(next, remove_ns_);
}

void Core::drain() {
  const std::scoped_lock lock(mutex_);
  drains_ = true;
  engine_->drain();
}

int64_t Core::requests() const {
  return std::ranges::count_if(engine_->running(), [](const Task* task) { return task->spec.inference.has_value(); });
}

void Core::follow_config() {
  config_ = parts_.config->current();
  engine_->set_config(config_);
  changed_ = true;
}

void Core::follow_gpus() {
  const auto host = parts_.monitor->snapshot();
  if (host->gpus.empty() && indices_.empty()) return;  // not known yet, which is not the same as none
  const auto running = engine_->running();
  Feed feed = feed_.take(*host, running);
  indices_.clear();
  for (const GpuState& gpu : feed.gpus) indices_[gpu.uuid] = gpu.index;
  engine_->set_gpus(std::move(feed.gpus), feed.held);
  changed_ = true;
}

std::optional<Refused> Core::refusal() const {
  const config::Tasks& tasks = config_->sonde.tasks;
  if (drains_) {
    return Refused{.code = "stopping",
                   .detail = "It accepts no new tasks. Accepted tasks are kept.",
                   .retry_after_s = kRetryAfter_s};
  }
  if (!tasks.enabled) {
    return Refused{
        .code = "tasks_disabled",
        .detail = "sonde.tasks.enabled is false in the configuration; set it to true and reload the configuration.",
        .retry_after_s = {}};
  }
  if (!trouble_.empty()) return Refused{.code = "not_saved", .detail = trouble_, .retry_after_s = kRetryAfter_s};
  if (const int64_t bytes = executor_->bytes(); bytes > tasks.output_total_limit) {
    return Refused{.code = "disk_limit",
                   .detail = fmt::format("The files of all tasks use {} bytes; sonde.tasks.output_total_limit is {}. "
                                         "Raise it, or lower sonde.tasks.keep_days.",
                                         bytes, tasks.output_total_limit),
                   .retry_after_s = {}};
  }
  return std::nullopt;
}

void Core::refuse(const Submitted& answered, Refused why, int64_t tasks) {
  tally_.refused(why.code, tasks);
  changed_ = true;
  reply([answered, why = std::move(why)] { answered(std::unexpected(why)); });
}

/// How tasks ended that a submission comes after, where the engine has dropped them.
void Core::recall(const TaskSpec& spec) {
  for (const int64_t id : spec.after) {
    if (engine_->find(id) != nullptr) continue;
    const auto before = parts_.store->find(id);
    if (before && *before && is_over((*before)->state)) engine_->recall(id, (*before)->state);
  }
}

/// Whether the key of a submission made something before, in this turn or an earlier one: that is its answer then.
bool Core::is_answered_again(const Key& key, const Keys& now, KeptKeys before, const Submitted& answered,
                             int64_t tasks) {
  if (key.second.empty()) return false;
  if (const auto made = now.find(key); made != now.end()) {
    answers_.push_back({.id = made->second, .tasks = {}, .batch = 0, .answered = answered});
    return true;
  }
  const auto kept = (parts_.store->*before)(key.first, key.second);
  if (!kept) {
    refuse(answered, {.code = "tasks_unreadable", .detail = kept.error().message, .retry_after_s = {}}, tasks);
  } else if (*kept != 0) {
    reply([answered, id = *kept] { answered(Made{.id = id, .is_new = false}); });
  }
  return !kept || *kept != 0;
}

void Core::take(SubmitInput& input) {
  const Key key{input.spec.submitted_by, input.spec.idempotency_key};
  if (is_answered_again(key, task_keys_, &TaskStore::task_of_key, input.answered, 1)) return;
  if (auto why = refusal()) return refuse(input.answered, *std::move(why), 1);
  recall(input.spec);
  auto id = engine_->submit(std::move(input.spec), now_ns_);
  if (!id) return refuse(input.answered, std::move(id).error(), 1);
  if (!key.second.empty()) task_keys_.emplace(key, *id);
  answers_.push_back({.id = *id, .tasks = {*id}, .batch = 0, .answered = std::move(input.answered)});
}

void Core::take(BatchInput& input) {
  const Key key{input.specs.empty() ? std::string() : input.specs.front().submitted_by, input.idempotency_key};
  const auto count = static_cast<int64_t>(input.specs.size());
  if (is_answered_again(key, batch_keys_, &TaskStore::batch_of_key, input.answered, count)) return;
  if (auto why = refusal()) return refuse(input.answered, *std::move(why), count);
  for (const TaskSpec& spec : input.specs) recall(spec);
  auto id = engine_->submit_batch(std::move(input.name), std::move(input.specs), now_ns_);
  if (!id) return refuse(input.answered, std::move(id).error(), count);
  if (!key.second.empty()) batch_keys_.emplace(key, *id);
  const Batch* const batch = engine_->find_batch(*id);
  answers_.push_back({.id = *id,
                      .tasks = batch == nullptr ? std::vector<int64_t>() : batch->tasks,
                      .batch = *id,
                      .answered = std::move(input.answered)});
}

void Core::take(CancelInput& input) {
  const bool done = engine_->cancel(input.task, input.by, now_ns_);
  if (!trouble_.empty() && done) {
    // It may be what fills the disk: it ends now, and that is saved later.
    const Task* const task = engine_->find(input.task);
    const bool runs = task != nullptr && task->state == TaskState::running && task->last() != nullptr;
    if (runs && !pending_.has_start(input.task)) executor_->cancel(input.task, task->last()->number);
  }
  cancel_answers_.push_back({.task = input.task, .done = done, .answered = std::move(input.answered)});
}

void Core::take(EndReport& report) {
  if (restarts(report)) return;
  simulated_.ended(report.task, report.attempt);
  feed_.ended(report.task, report.attempt, report.ended_ns);
  profiler_.ending(*engine_, report, now_ns_);
  engine_->ended(report);
  ended_.emplace_back(report.task, report.attempt);
}

/// Whether an attempt that was decided before the service ended, and never begun, begins now.
bool Core::restarts(const EndReport& report) {
  const bool was_there = restored_.erase({report.task, report.attempt}) > 0;
  if (!was_there || report.cause != EndCause::not_started || drains_) return false;
  const Task* const task = engine_->find(report.task);
  if (task == nullptr || task->state != TaskState::running || task->cancelling) return false;
  start(report.task);
  return true;
}

void Core::step() {
  const auto began = std::chrono::steady_clock::now();
  Step step = engine_->step(now_ns_);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (!step.decisions.empty()) tally_.stepped(took.count());
  profiler_.choose(*engine_, step.starts, now_ns_, pending_.profiles);
  pending_.add(std::move(step));
  pending_.ended.insert(pending_.ended.end(), ended_.begin(), ended_.end());
  ended_.clear();
}

void Core::save() {
  const bool was_in_trouble = !trouble_.empty();
  if (pending_.needs_saving()) {
    const Status saved = parts_.store->save(pending_.changes(*engine_));
    if (!saved) return lose(saved.error());
  } else if (was_in_trouble) {
    if (const Status works = parts_.store->probe(); !works) return lose(works.error());
  }
  if (was_in_trouble) recover();
  settle();
}

/// Nothing is saved: submissions of this turn never were, everything else waits.
void Core::lose(const Error& error) {
  retry_ns_ = now_ns_ + kRetry_ns;
  if (trouble_.empty() && (trouble_logged_ns_ == 0 || now_ns_ >= trouble_logged_ns_ + kLogApart_ns)) {
    trouble_logged_ns_ = now_ns_;
    parts_.log->error(
        "tasks cannot be saved: no task is accepted or started until saving works again; running tasks continue",
        {{"reason", error.message}});
  }
  changed_ = changed_ || trouble_ != error.message;
  queue_unpublished_ = queue_unpublished_ || trouble_ != error.message;
  trouble_ = error.message;
  {
    const std::scoped_lock lock(mutex_);
    for (const Answer& answer : answers_) {
      for (const int64_t task : answer.tasks) {
        engine_->forget(task);
        pending_.forget(task);
      }
      if (answer.batch != 0) pending_.batches.erase(answer.batch);
    }
  }
  const Refused why{.code = "not_saved", .detail = trouble_, .retry_after_s = kRetryAfter_s};
  for (const Answer& answer : std::exchange(answers_, {})) refuse(answer.answered, why, std::ssize(answer.tasks));
  for (const CancelAnswer& answer : std::exchange(cancel_answers_, {})) {
    reply([answer, trouble = trouble_] {
      if (!answer.done) return answer.answered(false);
      answer.answered(fail("task {} is being cancelled, but that cannot be saved yet: {}", answer.task, trouble));
    });
  }
  task_keys_.clear();
  batch_keys_.clear();
}

void Core::recover() {
  parts_.log->info("tasks are saved again", {{"trouble_was", trouble_}});
  trouble_.clear();
  again_ = changed_ = queue_unpublished_ = true;
}

/// What was saved is answered and done.
void Core::settle() {
  const Pending saved = std::exchange(pending_, {});
  answer_saved();
  give_replies();
  for (const int64_t task : saved.starts) start(task);
  for (const int64_t task : saved.cancels) {
    const Task* const each = engine_->find(task);
    if (each != nullptr && each->last() != nullptr) executor_->cancel(task, each->last()->number);
  }
  for (const auto& [task, attempt] : saved.ended) {
    executor_->collected(task, attempt);
    profiler_.ended({task, attempt}, *config_);
  }
  publish_saved(saved);
  if (!saved.needs_saving()) return;
  changed_ = true;
  const std::scoped_lock lock(mutex_);
  engine_->drop_over();
}

void Core::give_replies() {
  for (const auto& each : std::exchange(replies_, {})) each();
}

void Core::answer_saved() {
  for (Answer& answer : std::exchange(answers_, {})) {
    const Made made{.id = answer.id, .is_new = !answer.tasks.empty()};
    reply([answered = std::move(answer.answered), made] { answered(made); });
  }
  for (CancelAnswer& answer : std::exchange(cancel_answers_, {})) {
    reply([answered = std::move(answer.answered), done = answer.done] { answered(done); });
  }
  task_keys_.clear();
  batch_keys_.clear();
}

void Core::start(int64_t id) {
  const Task* const task = engine_->find(id);
  if (task == nullptr || task->state != TaskState::running || task->last() == nullptr) return;
  Launch launch = launch_of(*task, *config_, indices_);
  profiler_.wrap(*task, *config_, launch);
  executor_->start(launch);
  simulated_.started(*task, indices_);
}

void Core::publish_saved(const Pending& saved) {
  for (const int64_t batch : saved.batches) publish_batch(batch);
  for (const Decision& decision : saved.decisions) {
    const Task* const task = engine_->find(decision.task);
    tally_.decided(decision);
    event_writer_.write(decision, task == nullptr ? 0 : task->batch);
  }
  for (const TaskNews& news : saved.news) publish_task(news);
  follow_forecasts(saved.news);
  queue_unpublished_ = queue_unpublished_ || !saved.news.empty();
}

void Core::publish_task(const TaskNews& news) {
  const Task* const task = engine_->find(news.task);
  if (task == nullptr) return;
  tally_.count(news, *task);
  event_writer_.write(news, *task);
  if (news.change != "ended" || task->batch == 0) return;
  const auto state = batches_.find(task->batch);
  if (state == batches_.end()) return;
  ++state->second.over[task->state];
  if (--state->second.left > 0) return;
  if (const Batch* const batch = engine_->find_batch(task->batch)) {
    event_writer_.write(BatchNews{.change = "ended", .batch = *batch, .states = state->second.over});
  }
  batches_.erase(state);
}

/// From the profiler's thread.
void Core::publish_profile(const ProfileRecord& record) {
  if (const auto task = find(record.task); task && *task) event_writer_.write({record.task, "profiled"}, **task);
}

/// Those that started say how good the forecasts were.
void Core::follow_forecasts(std::span<const TaskNews> all) {
  const std::scoped_lock lock(mutex_);
  for (const TaskNews& news : all) {
    const Task* const task = engine_->find(news.task);
    if (task != nullptr && news.change == "started" && task->started_ns)
      forecaster_.started(task->id, *task->started_ns);
    if (news.change == "ended") forecaster_.dropped(news.task);
  }
}

void Core::publish_batch(int64_t id) {
  const Batch* const batch = engine_->find_batch(id);
  if (batch == nullptr) return;
  const auto [state, is_new] = batches_.try_emplace(id);
  if (is_new) {
    state->second.left = std::ssize(batch->tasks);
    event_writer_.write(BatchNews{.change = "submitted", .batch = *batch, .states = {}});
  }
  if (batch->split.empty() || batch->split == state->second.split) return;
  state->second.split = batch->split;
  event_writer_.write(BatchNews{.change = "split", .batch = *batch, .states = {}});
}

/// Samples follow tasks that began or ended, and what waits sees free memory soon.
void Core::look_soon() {
  const bool put = simulated_.look(*executor_);
  if (put || engine_->counts().queue_length > 0) parts_.monitor->look_soon();
}

void Core::remove_old() {
  if (now_ns_ < remove_ns_ || !trouble_.empty()) return;
  remove_ns_ = now_ns_ + kRemove_ns;
  const auto removed =
      parts_.store->remove_ended_before(now_ns_ - of_seconds(config_->sonde.tasks.keep_days * kSecondsPerDay));
  if (!removed) {
    parts_.log->warning("old tasks cannot be removed", {{"reason", removed.error().message}});
    return;
  }
  if (removed->size() >= kRemovedAtOnce) remove_ns_ = now_ns_ + kRemoveMore_ns;
  if (removed->empty()) return;
  event_writer_.later([executor = executor_, ids = *removed] {
    for (const int64_t id : ids) executor->remove(id);
  });
}

std::vector<QueueSnapshot::OnGpu> Core::on_gpus() const {
  std::map<std::string, QueueSnapshot::OnGpu> gpus;
  for (const auto& [uuid, index] : indices_) gpus[uuid].uuid = uuid;
  for (const Task* task : engine_->running()) {
    if (task->last() == nullptr) continue;
    for (const std::string& uuid : task->last()->gpus) {
      QueueSnapshot::OnGpu& gpu = gpus[uuid];
      gpu.uuid = uuid;
      ++gpu.tasks;
      gpu.reserved_bytes += task->last()->reserved_bytes;
    }
  }
  std::vector<QueueSnapshot::OnGpu> list;
  list.reserve(gpus.size());
  for (auto& [uuid, gpu] : gpus) list.push_back(std::move(gpu));
  return list;
}

/// Walks over all that wait, and therefore not at every turn.
void Core::find_oldest() {
  const int64_t length = engine_->counts().queue_length;
  if (length > 0 && oldest_ready_ns_ && now_ns_ < oldest_found_ns_ + kNsPerSecond) return;
  oldest_found_ns_ = now_ns_;
  oldest_ready_ns_.reset();
  for (const Task* task : engine_->queue(static_cast<size_t>(length))) {
    const bool waits = task->state == TaskState::waiting;
    if (waits && (!oldest_ready_ns_ || task->ready_ns < *oldest_ready_ns_)) oldest_ready_ns_ = task->ready_ns;
  }
}

void Core::publish() {
  if (changed_) {
    find_oldest();
    auto next = std::make_shared<QueueSnapshot>();
    next->moment_ns = now_ns_;
    next->engine = engine_->counts();
    next->counts = tally_.counts();
    next->gpus = on_gpus();
    next->oldest_ready_ns = oldest_ready_ns_;
    next->trouble = trouble_;
    changed_ = false;
    const std::scoped_lock lock(snapshot_mutex_);
    snapshot_ = std::move(next);
  }
  if (!queue_unpublished_ || now_ns_ < queue_published_ns_ + kQueueEvents_ns) return;
  queue_unpublished_ = false;
  queue_published_ns_ = now_ns_;
  event_writer_.write_queue(engine_->counts(), trouble_);
}

/// What others are told of: null for one that is over, which the store has as soon as that is saved. Told before, it
/// might run again after a power cut. Under the mutex.
const Task* Core::live(int64_t id) const {
  const Task* const task = engine_->find(id);
  return task == nullptr || is_over(task->state) ? nullptr : task;
}

Result<std::optional<Task>> Core::find(int64_t task) const {
  {
    const std::scoped_lock lock(mutex_);
    if (const Task* const found = live(task)) return *found;
  }
  return parts_.store->find(task);
}

Result<std::optional<Batch>> Core::find_batch(int64_t batch) const {
  {
    const std::scoped_lock lock(mutex_);
    if (const Batch* const live = engine_->find_batch(batch)) return *live;
  }
  return parts_.store->find_batch(batch);
}

std::vector<Task> Core::queue(size_t max) const {
  const std::scoped_lock lock(mutex_);
  std::vector<Task> tasks;
  for (const Task* task : engine_->queue(max)) tasks.push_back(*task);
  return tasks;
}

void Core::forecast(Explanation& explanation, int64_t now_ns) const {
  explanation.start = forecaster_.start_of(*engine_, explanation.task, now_ns, explanation.start_unknown);
  if (explanation.start) forecaster_.remember(explanation.task, now_ns, *explanation.start);
}

Result<std::optional<Explanation>> Core::explain(int64_t id) const {
  std::optional<Explanation> explanation;
  {
    const std::scoped_lock lock(mutex_);
    if (const Task* const task = live(id)) {
      const int64_t now_ns = parts_.now_ns();
      explanation = engine_->explain(id, now_ns);
      if (task->state == TaskState::waiting) forecast(*explanation, now_ns);
    }
  }
  if (!explanation) {
    auto task = parts_.store->find(id);
    if (!task) return std::unexpected(std::move(task).error());
    if (!*task) return std::optional<Explanation>();
    explanation.emplace();
    explanation->task = id;
    explanation->summary = (*task)->reason;
  }
  auto decisions = parts_.store->decisions(id);
  if (!decisions) return std::unexpected(std::move(decisions).error());
  explanation->decisions = *std::move(decisions);
  return explanation;
}

TypeFigures Core::figures_of(const std::string& type) const {
  const std::scoped_lock lock(mutex_);
  const Estimates& estimates = std::as_const(*engine_).estimates();
  return {.memory = estimates.memory(type), .run_time = estimates.run_time(type, "")};
}

std::shared_ptr<const QueueSnapshot> Core::snapshot() const {
  const std::scoped_lock lock(snapshot_mutex_);
  return snapshot_;
}

}  // namespace sonde::dispatch
