#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "dispatch/engine/engine_words.h"
#include "dispatch/engine/real_engine.h"

namespace sonde::dispatch {
namespace {

/// Of the decision for a task that needs no GPU.
constexpr std::string_view kNoStrategy = "none";

}  // namespace

Step RealEngine::step(int64_t now_ns) {
  Step step;
  expire(now_ns);
  wake(now_ns);
  if (is_dirty_) {
    is_dirty_ = false;
    fleet_.refresh(*config_);
    keeping_.begin(*config_, now_ns);
    if (std::exchange(judges_batches_, false)) {
      unsplit_lost();
      split_batches();
    }
    if (!is_draining_) start_tasks(step, now_ns);
  }
  collect(step);
  return step;
}

void RealEngine::collect(Step& step) {
  step.changed_tasks.assign(changed_.begin(), changed_.end());
  step.changed_batches.assign(changed_batches_.begin(), changed_batches_.end());
  step.cancels = std::exchange(cancels_, {});
  step.news = std::exchange(news_, {});
  changed_.clear();
  changed_batches_.clear();
}

/// The first task of each shape, in the order of their places. Once a shape found no GPU it is not asked again: GPUs
/// only become fewer in a step.
void RealEngine::start_tasks(Step& step, int64_t now_ns) {
  start_host_tasks(step, now_ns);
  const Queue::Heads& heads = queue_.heads(true);
  int refused = 0;
  for (auto at = heads.begin(); at != heads.end() && fleet_.has_open() && refused < kMaxShapes;) {
    const Queue::Head head = *at;
    Entry& entry = *entry_of(head.place.task);
    if (try_start(entry, step, now_ns)) {
      at = heads.upper_bound(head);
      continue;
    }
    refused += 1;
    keeping_.keep(entry.task, head.place);
    ++at;
  }
}

/// Those that need no GPU have places of their own, as many as a GPU has.
void RealEngine::start_host_tasks(Step& step, int64_t now_ns) {
  const Queue::Heads& heads = queue_.heads(false);
  while (!heads.empty() && fleet_.host_tasks() < config_->gpu.multi_gpu.max_concurrent_tasks_per_gpu) {
    Entry& entry = *entry_of(heads.begin()->place.task);
    step.decisions.push_back(
        {.task = entry.task.id, .strategy = std::string(kNoStrategy), .note = words("note.host"), .gpus = {}});
    record(entry, {}, step, now_ns);
  }
}

bool RealEngine::try_start(Entry& entry, Step& step, int64_t now_ns) {
  const Place place = place_of(entry);
  const std::optional<Placed> placed = placement_.place(*config_, entry.task, place);
  if (!placed) return false;
  step.decisions.push_back({.task = entry.task.id,
                            .strategy = std::string(placed->strategy->name),
                            .note = note_of(entry, *placed),
                            .gpus = placement_.judge(*config_, entry.task, place, &*placed)});
  start(entry, *placed, step, now_ns);
  return true;
}

/// What is to be said of a choice beside its scores, in the order in which it mattered.
std::string RealEngine::note_of(const Entry& entry, const Placed& placed) const {
  std::vector<std::string> notes;
  if (!placed.note.empty()) notes.push_back(placed.note);
  if (!entry.task.only_gpus.empty()) notes.push_back(words("note.batch"));
  for (const size_t gpu : placed.gpus) {
    const int64_t passed = keeping_.passed(gpu, place_of(entry));
    if (passed == 0) continue;
    notes.push_back(words("note.passed", {{"task", std::to_string(passed)}}));
    break;
  }
  if (const Attempt* const last = entry.task.last()) {
    notes.push_back(words("note.retry", {{"attempt", std::to_string(last->number + 1)},
                                         {"cause", std::string(cause_name(last->cause))}}));
  }
  return fmt::format("{}", fmt::join(notes, "; "));
}

void RealEngine::start(Entry& entry, const Placed& placed, Step& step, int64_t now_ns) {
  const Need need = needs_.of(entry.task);
  Attempt attempt;
  attempt.memory_source = need.source;
  std::optional<int64_t> bytes;
  for (const size_t index : placed.gpus) {
    const GpuState& gpu = fleet_.gpus()[index].state;
    const int64_t here = need.on(*config_, gpu);
    bytes = std::min(bytes.value_or(here), here);
    attempt.gpus.push_back(gpu.uuid);
  }
  if (entry.task.least_room_bytes) bytes = std::max(bytes.value_or(0), *entry.task.least_room_bytes + 1);
  attempt.gpu_name = fleet_.gpus()[placed.gpus.front()].state.name;
  attempt.reserved_bytes = bytes.value_or(0);
  record(entry, std::move(attempt), step, now_ns);
  const Attempt& last = entry.task.attempts.back();
  fleet_.refresh(*config_, last.gpus);
  for (const size_t index : placed.gpus) keeping_.started_on(index, last.reserved_bytes);
}

/// The task runs from now on; its decision is the step's last one.
void RealEngine::record(Entry& entry, Attempt attempt, Step& step, int64_t now_ns) {
  Task& task = entry.task;
  Decision& decision = step.decisions.back();
  decision.waiting = static_cast<int64_t>(queue_.order().size());
  dequeue(entry);
  keeping_.drop(task.id);
  attempt.number = static_cast<int64_t>(task.attempts.size()) + 1;
  attempt.started_ns = now_ns;
  decision.attempt = attempt.number;
  decision.moment_ns = now_ns;
  fleet_.take(task.id, {.started_ns = now_ns,
                        .gpus = attempt.gpus,
                        .reserved_bytes = attempt.reserved_bytes,
                        .is_share = attempt.memory_source == MemorySource::share && !task.least_room_bytes,
                        .held = {},
                        .run_time = needs_.run_time(task.spec.type, attempt.gpu_name),
                        .time_limit_ns = task.spec.time_limit_ns});
  task.attempts.push_back(std::move(attempt));
  if (!task.started_ns) task.started_ns = now_ns;
  set_state(entry, TaskState::running);
  running_.insert(task.id);
  rate_.started(now_ns);
  step.starts.push_back(task.id);
  add_news(task.id, "started");
}

}  // namespace sonde::dispatch
