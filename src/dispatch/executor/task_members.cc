#include "dispatch/executor/task_members.h"

#include "dispatch/executor/orphans.h"
#include "dispatch/keeper/process_table.h"

namespace sonde::dispatch {

void TaskMembers::add(AttemptId id, int64_t keeper, std::string attempt_folder) {
  const std::scoped_lock lock(mutex_);
  by_keeper_[keeper] = id;
  by_folder_[std::move(attempt_folder)] = id;
}

void TaskMembers::remove(AttemptId id) {
  const std::scoped_lock lock(mutex_);
  const auto of_it = [&](const auto& entry) { return entry.second == id; };
  std::erase_if(by_keeper_, of_it);
  std::erase_if(by_folder_, of_it);
  std::erase_if(known_, of_it);
}

std::optional<AttemptId> TaskMembers::find(int64_t pid) const {
  const auto process = keeper::find_process(static_cast<pid_t>(pid));
  if (!process) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  const ProcessKey key{pid, process->start_ticks};
  if (const auto at = known_.find(key); at != known_.end()) return at->second;
  auto id = by_ancestors(process->parent);
  if (!id) id = by_environment(pid);
  if (id) known_[key] = *id;
  return id;
}

std::optional<AttemptId> TaskMembers::by_ancestors(int64_t parent) const {
  constexpr int kDeepest = 1000;  // a table that is read while processes come and go could send one in a circle
  for (int i = 0; i < kDeepest && parent > 1; ++i) {
    if (const auto at = by_keeper_.find(parent); at != by_keeper_.end()) return at->second;
    const auto process = keeper::find_process(static_cast<pid_t>(parent));
    if (!process) return std::nullopt;
    parent = process->parent;
  }
  return std::nullopt;
}

std::optional<AttemptId> TaskMembers::by_environment(int64_t pid) const {
  const auto at = by_folder_.find(attempt_folder_of(pid));
  return at == by_folder_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace sonde::dispatch
