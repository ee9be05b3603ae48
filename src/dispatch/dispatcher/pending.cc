#include "dispatch/dispatcher/pending.h"

#include <algorithm>
#include <iterator>

namespace sonde::dispatch {
namespace {

template <typename Value>
void append(std::vector<Value>& to, std::vector<Value> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

void Pending::add(Step step, std::vector<ProfileRecord> recordings,
                  std::vector<std::pair<int64_t, int64_t>> processed) {
  tasks.insert(step.changed_tasks.begin(), step.changed_tasks.end());
  batches.insert(step.changed_batches.begin(), step.changed_batches.end());
  append(decisions, std::move(step.decisions));
  append(starts, std::move(step.starts));
  append(cancels, std::move(step.cancels));
  append(news, std::move(step.news));
  append(profiles, std::move(recordings));
  append(ended, std::move(processed));
}

void Pending::forget(int64_t task) {
  tasks.erase(task);
  std::erase(starts, task);
  std::erase(cancels, task);
  std::erase_if(decisions, [&](const Decision& decision) { return decision.task == task; });
  std::erase_if(profiles, [&](const ProfileRecord& profile) { return profile.task == task; });
  std::erase_if(news, [&](const TaskNews& each) { return each.task == task; });
}

bool Pending::has_start(int64_t task) const { return std::ranges::find(starts, task) != starts.end(); }

Changes Pending::changes(const Engine& engine) const {
  Changes changes;
  for (const int64_t id : tasks) {
    if (const Task* task = engine.find(id)) changes.tasks.push_back(task);
  }
  for (const int64_t id : batches) {
    if (const Batch* batch = engine.find_batch(id)) changes.batches.push_back(batch);
  }
  changes.decisions = decisions;
  changes.profiles = profiles;
  return changes;
}

}  // namespace sonde::dispatch
