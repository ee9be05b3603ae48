#include "dispatch/dispatcher/tally.h"
#include "base/time_units.h"

#include <algorithm>

namespace sonde::dispatch {
namespace {

/// "succeeded", else why it did not: "exit", "out_of_memory", "queue_timeout".
std::string outcome(const Task& task) {
  return std::string(task.state == TaskState::succeeded ? state_name(task.state) : cause_name(task.cause));
}

}  // namespace

const Attempt* last_ended(const Task& task) {
  for (size_t i = task.attempts.size(); i > 0; --i) {
    if (task.attempts[i - 1].ended_ns) return &task.attempts[i - 1];
  }
  return nullptr;
}

Tally::Tally() {
  // From a start that waits for nothing but the disk to an hour, the usual time limit of the queue.
  counts_.wait_bounds_s = {0.01, 0.1, 1, 10, 60, 300, 900, 1800, 3600, 7200};
}

void Tally::waited(const std::string& priority, double seconds) {
  std::vector<int64_t>& buckets = counts_.wait_buckets[priority];
  buckets.resize(counts_.wait_bounds_s.size() + 1);
  const auto bound = std::ranges::lower_bound(counts_.wait_bounds_s, seconds);
  ++buckets[static_cast<size_t>(bound - counts_.wait_bounds_s.begin())];
  counts_.wait_sum_s[priority] += seconds;
}

void Tally::count(const TaskNews& news, const Task& task) {
  if (news.change == "submitted") ++counts_.submitted[task.spec.type];
  if (news.change == "ended") ++counts_.ended[{task.spec.type, outcome(task)}];
  const Attempt* const over = last_ended(task);
  const std::string cause(cause_name(over == nullptr ? EndCause::none : over->cause));
  if (news.change == "retried") ++counts_.retries[cause];
  const bool is_end = news.change == "ended" || news.change == "retried";
  if (is_end && over != nullptr && over->cause == EndCause::out_of_memory) ++counts_.out_of_memory[task.spec.type];
  if (news.change != "started" || task.attempts.size() != 1 || !task.started_ns) return;
  waited(task.spec.priority, static_cast<double>(std::max<int64_t>(0, *task.started_ns - task.ready_ns)) / kSecondNs);
}

}  // namespace sonde::dispatch
