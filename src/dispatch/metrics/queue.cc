#include <array>

#include <fmt/format.h>

#include "base/time_units.h"
#include "dispatch/metrics/family.h"

namespace sonde::dispatch {
namespace queue {
namespace {

void length(const TaskScrape& scrape, TaskSamples& out) {
  for (const TaskState state : {TaskState::blocked, TaskState::waiting}) {
    const auto count = scrape.queue.engine.by_state.find(state);
    out.add({{"state", state_name(state)}}, count == scrape.queue.engine.by_state.end() ? 0 : count->second);
  }
}

void waiting(const TaskScrape& scrape, TaskSamples& out) {
  for (const auto& [priority, number] : scrape.config.gpu.multi_gpu.queue_priority_levels) {
    const auto count = scrape.queue.engine.waiting_by_priority.find(priority);
    out.add({{"priority", priority}}, count == scrape.queue.engine.waiting_by_priority.end() ? 0 : count->second);
  }
}

void limit(const TaskScrape& scrape, TaskSamples& out) { out.add({}, scrape.config.gpu.multi_gpu.max_queue_size); }

void oldest(const TaskScrape& scrape, TaskSamples& out) {
  const auto& moment = scrape.queue.oldest_ready_ns;
  if (moment) out.add({}, static_cast<double>(*moment) / kSecondNs);
}

void add_waits(const DispatchCounts& counts, const std::string& priority, const std::vector<int64_t>& buckets,
               TaskSamples& out) {
  int64_t sum = 0;
  for (size_t i = 0; i < buckets.size(); ++i) {
    sum += buckets[i];
    const bool is_last = i >= counts.wait_bounds_s.size();
    const std::string bound = is_last ? "+Inf" : fmt::format("{}", counts.wait_bounds_s[i]);
    out.add({{"priority", priority}, {"le", bound}}, sum, "_bucket");
  }
  out.add({{"priority", priority}}, counts.wait_sum_s.at(priority), "_sum");
  out.add({{"priority", priority}}, sum, "_count");
}

void waits(const TaskScrape& scrape, TaskSamples& out) {
  const DispatchCounts& counts = scrape.queue.counts;
  for (const auto& [priority, buckets] : counts.wait_buckets) add_waits(counts, priority, buckets, out);
}

/// Strategies that decided nothing yet are 0: whether any does can be asked from the start.
void decisions(const TaskScrape& scrape, TaskSamples& out) {
  std::map<std::string, int64_t> counts = scrape.queue.counts.decisions;
  for (const std::string& strategy : scrape.config.gpu.multi_gpu.strategies) counts.try_emplace(strategy, 0);
  for (const auto& [strategy, count] : counts) out.add({{"strategy", strategy.empty() ? "none" : strategy}}, count);
}

void longest_decision(const TaskScrape& scrape, TaskSamples& out) {
  out.add({}, scrape.queue.counts.longest_decision_s);
}

constexpr auto kMetrics = std::to_array<TaskMetric>({
    {.name = "sonde_task_queue_length",
     .labels = "state",
     .help = "Tasks in the queue, by state: waiting for a GPU, or blocked by unfinished dependencies.",
     .collect = length},
    {.name = "sonde_task_queue_waiting",
     .labels = "priority",
     .help = "Tasks waiting for a GPU, by priority level.",
     .collect = waiting},
    {.name = "sonde_task_queue_limit",
     .help = "Maximum number of tasks in the queue (gpu.multi_gpu.max_queue_size).",
     .collect = limit},
    {.name = "sonde_task_queue_oldest_timestamp_seconds",
     .help = "Unix time since which the longest-waiting task has been waiting; absent if none waits.",
     .collect = oldest},
    {.name = "sonde_task_queue_wait_seconds",
     .kind = MetricKind::histogram,
     .labels = "priority",
     .help = "Time from when a task is ready to run to its first start.",
     .collect = waits},
    {.name = "sonde_task_decisions_total",
     .kind = MetricKind::counter,
     .labels = "strategy",
     .help = "Decisions to start a task, by the strategy that chose the GPU; none if the task needs no GPU.",
     .collect = decisions},
    {.name = "sonde_task_longest_decision_seconds",
     .help = "Longest duration of one scheduling step over all waiting tasks, since the service started.",
     .collect = longest_decision},
});

}  // namespace
}  // namespace queue

extern constinit const TaskFamily queue_family;
constinit const TaskFamily queue_family{
    .name = "queue",
    .title = "The queue",
    .key = "gpu.monitoring.queue_metrics",
    .is_on = [](const config::Monitoring& monitoring) { return monitoring.queue_metrics; },
    .metrics = queue::kMetrics};

}  // namespace sonde::dispatch
