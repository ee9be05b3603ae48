#include "dispatch/dispatcher/batch_progress.h"

#include <iterator>
#include <utility>

namespace sonde::dispatch {

void BatchProgress::restore(const Restored& restored) {
  for (const Batch& batch : restored.batches) batches_[batch.id].split = batch.split;
  for (const Task& task : restored.tasks) {
    if (task.batch == 0) continue;
    Progress& progress = batches_[task.batch];
    ++(is_over(task.state) ? progress.finished[task.state] : progress.left);
  }
  std::erase_if(batches_, [](const auto& entry) { return entry.second.left == 0; });
}

bool BatchProgress::add(const Batch& batch) {
  const auto [progress, is_new] = batches_.try_emplace(batch.id);
  if (is_new) progress->second.left = std::ssize(batch.tasks);
  return is_new;
}

bool BatchProgress::is_split_changed(const Batch& batch) {
  Progress& progress = batches_[batch.id];
  if (batch.split.empty() || batch.split == progress.split) return false;
  progress.split = batch.split;
  return true;
}

std::optional<BatchProgress::States> BatchProgress::end(const Task& task) {
  const auto progress = batches_.find(task.batch);
  if (progress == batches_.end()) return std::nullopt;
  ++progress->second.finished[task.state];
  if (--progress->second.left > 0) return std::nullopt;
  return std::move(batches_.extract(progress).mapped().finished);
}

}  // namespace sonde::dispatch
