#include "dispatch/dispatcher/reporter.h"

#include <utility>

#include "base/time_units.h"

namespace sonde::dispatch {
namespace {

constexpr int64_t kQueueEvents_ns = kNsPerSecond / 2;

}  // namespace

void Reporter::report(const Pending& saved) {
  for (const int64_t batch : saved.batches) report_batch(batch);
  for (const Decision& decision : saved.decisions) report_decision(decision);
  for (const TaskNews& news : saved.news) report_task(news);
  if (!saved.news.empty()) queue_changed();
}

void Reporter::report_batch(int64_t id) {
  const Batch* const batch = engine_->find_batch(id);
  if (batch == nullptr) return;
  if (batches_.add(*batch)) writer_.write(BatchNews{.change = "submitted", .batch = *batch, .states = {}});
  if (batches_.is_split_changed(*batch)) writer_.write(BatchNews{.change = "split", .batch = *batch, .states = {}});
}

void Reporter::report_decision(const Decision& decision) {
  const Task* const task = engine_->find(decision.task);
  snapshots_->counts().decided(decision);
  writer_.write(decision, task == nullptr ? 0 : task->batch);
}

void Reporter::report_task(const TaskNews& news) {
  const Task* const task = engine_->find(news.task);
  if (task == nullptr) return;
  snapshots_->counts().count(news, *task);
  writer_.write(news, *task);
  if (news.change == "ended" && task->batch != 0) report_end_of_batch(*task);
}

void Reporter::report_end_of_batch(const Task& task) {
  auto states = batches_.end(task);
  const Batch* const batch = engine_->find_batch(task.batch);
  if (!states || batch == nullptr) return;
  writer_.write(BatchNews{.change = "ended", .batch = *batch, .states = *std::move(states)});
}

void Reporter::report_queue(const std::string& save_error, int64_t now_ns) {
  const auto due_ns = next_ns();
  if (!due_ns || now_ns < *due_ns) return;
  is_queue_event_due_ = false;
  queue_event_ns_ = now_ns;
  writer_.write_queue(engine_->counts(), save_error);
}

std::optional<int64_t> Reporter::next_ns() const {
  return is_queue_event_due_ ? std::optional(queue_event_ns_ + kQueueEvents_ns) : std::nullopt;
}

}  // namespace sonde::dispatch
