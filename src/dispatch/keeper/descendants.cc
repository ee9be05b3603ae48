#include "dispatch/keeper/descendants.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace sonde::dispatch::keeper {
namespace {

// A tree that forks is outrun by passes without a break; one that hangs in the kernel is asked once a second.
constexpr int64_t kShortestPause = 1'000'000;
constexpr int64_t kLongestPause = 1'000'000'000;

}  // namespace

std::vector<Process> living_descendants() {
  auto found = descendants_of(getpid(), all_processes());
  std::erase_if(found, [](const Process& process) { return process.state == 'Z' || process.state == 'X'; });
  return found;
}

void Killer::kill_all(int64_t now_ns) {
  if (next_ns_ && now_ns < *next_ns_) return;
  std::set<pid_t> killed;
  for (const Process& process : living_descendants()) {
    kill(process.pid, SIGKILL);
    killed.insert(process.pid);
  }
  const bool news = std::ranges::any_of(killed, [&](pid_t pid) { return !killed_.contains(pid); });
  pause_ns_ = news ? kShortestPause : std::min(kLongestPause, std::max(kShortestPause, 2 * pause_ns_));
  if (!killed.empty()) killed_ = std::move(killed);
  next_ns_ = now_ns + pause_ns_;
}

}  // namespace sonde::dispatch::keeper
