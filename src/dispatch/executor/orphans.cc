#include "dispatch/executor/orphans.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <string_view>
#include <vector>

#include "dispatch/keeper/process_table.h"

namespace sonde::dispatch {
namespace {

using keeper::Process;

bool is_over(const Process& process) { return process.state == 'Z' || process.state == 'X'; }

/// A session's number is not given away as long as somebody is in it. Where a leader of that number lives, it tells by
/// its start whether this is still the task's.
bool is_tasks_session(const keeper::KeeperRecord& record, const std::vector<Process>& all) {
  if (record.task <= 0) return false;
  const auto leader = std::ranges::find(all, record.task, &Process::pid);
  return leader == all.end() || leader->start_ticks == record.task_start;
}

}  // namespace

std::string attempt_folder_of(int64_t pid) {
  const std::string environment = keeper::environment_of(static_cast<pid_t>(pid));
  std::string_view rest = environment;
  while (!rest.empty()) {
    const std::string_view variable = rest.substr(0, rest.find('\0'));
    if (variable.starts_with(kFolderVariable) && variable.substr(kFolderVariable.size()).starts_with('=')) {
      return std::string(variable.substr(kFolderVariable.size() + 1));
    }
    rest.remove_prefix(std::min(variable.size() + 1, rest.size()));
  }
  return {};
}

size_t kill_orphans(const keeper::KeeperRecord& record, const std::string& attempt_folder) {
  const std::vector<Process> all = keeper::all_processes();
  const bool by_session = is_tasks_session(record, all);
  std::set<pid_t> found;
  for (const Process& process : all) {
    const bool in_session = by_session && process.session == record.task && process.start_ticks >= record.task_start;
    if (!in_session && attempt_folder_of(process.pid) != attempt_folder) continue;
    if (!is_over(process)) found.insert(process.pid);
    for (const Process& descendant : keeper::descendants_of(process.pid, all)) {
      if (!is_over(descendant)) found.insert(descendant.pid);
    }
  }
  found.erase(getpid());
  for (const pid_t pid : found) kill(pid, SIGKILL);
  return found.size();
}

}  // namespace sonde::dispatch
