#include "dispatch/dispatcher/request_intake.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace sonde::dispatch {
namespace {

constexpr int64_t kRetryAfter_s = 5;

Refused not_saved_refusal(const std::string& error) {
  return {.code = "not_saved", .detail = error, .retry_after_s = kRetryAfter_s};
}

}  // namespace

void RequestIntake::take(SubmitInput& input, int64_t now_ns) {
  const Responses::Key key{input.spec.submitted_by, input.spec.idempotency_key};
  if (has_response(key, responses_.task_keys(), &TaskStore::task_of_key, input.answered, 1)) return;
  if (auto why = refusal()) return refuse(input.answered, *std::move(why), 1);
  recall_dependencies(input.spec);
  auto id = engine_->submit(std::move(input.spec), now_ns);
  if (!id) return refuse(input.answered, std::move(id).error(), 1);
  if (!key.second.empty()) responses_.task_keys().emplace(key, *id);
  responses_.wait_for_save({.id = *id, .tasks = {*id}, .batch = 0, .answered = std::move(input.answered)});
}

void RequestIntake::take(BatchInput& input, int64_t now_ns) {
  const Responses::Key key{input.specs.empty() ? std::string() : input.specs.front().submitted_by,
                           input.idempotency_key};
  const auto count = static_cast<int64_t>(input.specs.size());
  if (has_response(key, responses_.batch_keys(), &TaskStore::batch_of_key, input.answered, count)) return;
  if (auto why = refusal()) return refuse(input.answered, *std::move(why), count);
  for (const TaskSpec& spec : input.specs) recall_dependencies(spec);
  auto id = engine_->submit_batch(std::move(input.name), std::move(input.specs), now_ns);
  if (!id) return refuse(input.answered, std::move(id).error(), count);
  if (!key.second.empty()) responses_.batch_keys().emplace(key, *id);
  const Batch* const batch = engine_->find_batch(*id);
  responses_.wait_for_save(Responses::Submission{.id = *id,
                                                 .tasks = batch == nullptr ? std::vector<int64_t>() : batch->tasks,
                                                 .batch = *id,
                                                 .answered = std::move(input.answered)});
}

void RequestIntake::take(CancelInput& input, int64_t now_ns) {
  const bool done = engine_->cancel(input.task, input.by, now_ns);
  if (done && !saver_->works()) cancel_unsaved(input.task);
  responses_.wait_for_save(
      Responses::Cancellation{.task = input.task, .done = done, .answered = std::move(input.answered)});
}

/// The one exception from saving first: a running task may be what fills the disk.
void RequestIntake::cancel_unsaved(int64_t id) {
  const Task* const task = engine_->find(id);
  const bool runs = task != nullptr && task->state == TaskState::running && !saver_->pending().has_start(id);
  if (runs) attempts_->cancel(id);
}

void RequestIntake::fail_unsaved() {
  Pending& pending = saver_->pending();
  for (const Responses::Submission& lost : responses_.take_unsaved()) {
    for (const int64_t task : lost.tasks) {
      engine_->forget(task);
      pending.forget(task);
    }
    if (lost.batch != 0) pending.batches.erase(lost.batch);
    refuse(lost.answered, not_saved_refusal(saver_->error()), std::ssize(lost.tasks));
  }
  responses_.fail_cancellations(saver_->error());
}

/// Whether an earlier submission with this key, in this turn or before, decides the response.
bool RequestIntake::has_response(const Responses::Key& key, const Responses::Keys& unsaved, SavedKey saved,
                                 const Submitted& answered, int64_t tasks) {
  if (key.second.empty()) return false;
  if (const auto earlier = unsaved.find(key); earlier != unsaved.end()) {
    responses_.wait_for_save(
        Responses::Submission{.id = earlier->second, .tasks = {}, .batch = 0, .answered = answered});
    return true;
  }
  const auto id = (store_->*saved)(key.first, key.second);
  if (!id) {
    refuse(answered, {.code = "tasks_unreadable", .detail = id.error().message, .retry_after_s = {}}, tasks);
  } else if (*id != 0) {
    responses_.add([answered, made = *id] { answered(Made{.id = made, .is_new = false}); });
  }
  return !id || *id != 0;
}

/// Why no task can be accepted now, whichever it is.
std::optional<Refused> RequestIntake::refusal() const {
  const config::Tasks& tasks = engine_->config().sonde.tasks;
  if (attempts_->is_draining()) {
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
  if (!saver_->works()) return not_saved_refusal(saver_->error());
  if (const int64_t bytes = attempts_->executor().bytes(); bytes > tasks.output_total_limit) {
    return Refused{.code = "disk_limit",
                   .detail = fmt::format("The files of all tasks use {} bytes; sonde.tasks.output_total_limit is {}. "
                                         "Raise it, or lower sonde.tasks.keep_days.",
                                         bytes, tasks.output_total_limit),
                   .retry_after_s = {}};
  }
  return std::nullopt;
}

void RequestIntake::refuse(const Submitted& answered, Refused why, int64_t tasks) {
  snapshots_->counts().refused(why.code, tasks);
  responses_.refuse(answered, std::move(why));
}

/// How the tasks ended that the new task depends on, if the engine has dropped them.
void RequestIntake::recall_dependencies(const TaskSpec& spec) {
  for (const int64_t id : spec.after) {
    if (engine_->find(id) != nullptr) continue;
    const auto before = store_->find(id);
    if (before && *before && is_over((*before)->state)) engine_->recall(id, (*before)->state);
  }
}

}  // namespace sonde::dispatch
