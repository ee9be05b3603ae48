#include "dispatch/simulation/measures.h"

#include <algorithm>
#include <cmath>

namespace sonde::dispatch::simulation {
namespace {

constexpr double kBound_ns = 10e9;
constexpr size_t kExperience = 20;

int64_t rank(const std::vector<int64_t>& sorted, double share) {
  const auto place = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<size_t>(place, 1, sorted.size()) - 1];
}

Waits waits_of(std::vector<int64_t> waits) {
  if (waits.empty()) return {};
  std::ranges::sort(waits);
  return {.tasks = static_cast<int64_t>(waits.size()),
          .median_ns = rank(waits, 0.5),
          .p90_ns = rank(waits, 0.9),
          .p99_ns = rank(waits, 0.99),
          .longest_ns = waits.back()};
}

using ByName = std::map<std::string, std::vector<int64_t>>;

std::map<std::string, Waits> waits_by(const ByName& waits) {
  std::map<std::string, Waits> by;
  for (const auto& [name, of] : waits) by[name] = waits_of(of);
  return by;
}

void measure_waits(const Outcome& outcome, Measures& measures) {
  std::vector<int64_t> all;
  ByName by_priority;
  ByName by_type;
  for (const auto& [task, forecast] : outcome.tasks) {
    if (!task.started_ns) continue;
    const int64_t wait_ns = *task.started_ns - task.ready_ns;
    all.push_back(wait_ns);
    by_priority[task.spec.priority].push_back(wait_ns);
    by_type[task.spec.type].push_back(wait_ns);
  }
  measures.waits = waits_of(std::move(all));
  measures.by_priority = waits_by(by_priority);
  measures.by_type = waits_by(by_type);
}

void count_ends(const Outcome& outcome, Measures& measures) {
  for (const auto& [code, count] : outcome.refused) measures.refused += count;
  measures.submitted = static_cast<int64_t>(outcome.tasks.size()) + measures.refused;
  for (const auto& [task, forecast] : outcome.tasks) {
    if (task.state == TaskState::succeeded) {
      ++measures.succeeded;
    } else if (task.cause == EndCause::queue_timeout) {
      ++measures.timed_out;
    } else if (is_over(task.state)) {
      ++measures.failed;
    } else {
      ++measures.left;
    }
  }
}

double slowdown_of(const Task& task) {
  const auto all = static_cast<double>(*task.ended_ns - task.ready_ns);
  const auto run = static_cast<double>(*task.ended_ns - task.last()->started_ns);
  return std::max(1.0, all / std::max(run, kBound_ns));
}

void measure_fairness(const Outcome& outcome, Measures& measures) {
  std::map<std::string, std::pair<double, int64_t>> sums;
  double sum = 0;
  for (const auto& [task, forecast] : outcome.tasks) {
    if (task.state != TaskState::succeeded || task.last() == nullptr || !task.ended_ns) continue;
    const double slowdown = slowdown_of(task);
    auto& [of_submitter, tasks] = sums[task.spec.submitted_by];
    of_submitter += slowdown;
    ++tasks;
    sum += slowdown;
  }
  if (sums.empty()) return;
  double means = 0;
  double squares = 0;
  for (const auto& [name, of] : sums) {
    const double mean = of.first / static_cast<double>(of.second);
    means += mean;
    squares += mean * mean;
  }
  measures.slowdown = sum / static_cast<double>(measures.succeeded);
  measures.fairness = means * means / (static_cast<double>(sums.size()) * squares);
}

void measure_gpus(const Outcome& outcome, Measures& measures) {
  const auto count = static_cast<double>(outcome.gpus.size());
  for (const GpuUse& gpu : outcome.gpus) {
    measures.use += gpu.use / count;
    measures.held_share += gpu.held_share / count;
    measures.reserved_share += gpu.reserved_share / count;
  }
}

struct AttemptOf {
  const Task* task = nullptr;
  const Attempt* attempt = nullptr;
};

/// Those that ran out of memory, and of them those whose type was known by then.
void measure_memory(const Outcome& outcome, Measures& measures) {
  std::map<std::string, std::vector<int64_t>> ends;
  std::vector<AttemptOf> attempts;
  for (const auto& [task, forecast] : outcome.tasks) {
    for (const Attempt& attempt : task.attempts) {
      attempts.push_back({&task, &attempt});
      if (attempt.ended_ns && attempt.peak_bytes) ends[task.spec.type].push_back(*attempt.ended_ns);
    }
  }
  for (auto& [type, of] : ends) std::ranges::sort(of);
  for (const auto& [task, attempt] : attempts) {
    ++measures.attempts;
    const bool ran_out = attempt->cause == EndCause::out_of_memory;
    if (ran_out) ++measures.out_of_memory;
    const std::vector<int64_t>& of = ends[task->spec.type];
    const bool is_known = of.size() > kExperience && of[kExperience - 1] <= attempt->started_ns;
    if (!is_known || attempt->memory_source != MemorySource::learned) continue;
    ++measures.experienced_attempts;
    if (ran_out) ++measures.experienced_out_of_memory;
  }
}

void measure_forecasts(const Outcome& outcome, Measures& measures) {
  for (const auto& [task, forecast] : outcome.tasks) {
    if (!forecast || !task.started_ns) continue;
    ++measures.forecasts;
    if (*task.started_ns < forecast->earliest_ns) {
      ++measures.started_early;
    } else if (*task.started_ns > forecast->latest_ns) {
      ++measures.started_late;
    } else {
      ++measures.forecasts_held;
    }
  }
}

}  // namespace

Measures measures_of(const Outcome& outcome) {
  Measures measures{
      .strategy = outcome.strategy, .waits = {}, .by_priority = {}, .by_type = {}, .slowdown = {}, .fairness = {}};
  count_ends(outcome, measures);
  measure_waits(outcome, measures);
  measure_fairness(outcome, measures);
  measure_gpus(outcome, measures);
  measure_memory(outcome, measures);
  measure_forecasts(outcome, measures);
  measures.makespan_ns = outcome.makespan_ns;
  return measures;
}

}  // namespace sonde::dispatch::simulation
