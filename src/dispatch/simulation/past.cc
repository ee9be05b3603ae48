#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dispatch/simulation/workload.h"

namespace sonde::dispatch::simulation {
namespace {

struct Known {
  std::vector<int64_t> run_ns;
  std::vector<int64_t> peaks;
  std::map<std::string, std::vector<int64_t>> run_ns_by_gpu;
};

std::optional<int64_t> run_of(const Task& task) {
  if (task.state != TaskState::succeeded || task.last() == nullptr || !task.last()->ended_ns) return std::nullopt;
  return std::max<int64_t>(*task.last()->ended_ns - task.last()->started_ns, 1'000'000);
}

int64_t median(std::vector<int64_t> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

class PastJobs {
 public:
  PastJobs(std::vector<Task> tasks, const config::Config& config, uint64_t seed)
      : tasks_(std::move(tasks)), config_(config), random_(seed) {
    std::ranges::sort(tasks_, {}, &Task::id);
  }

  Past make() {
    for (const Task& task : tasks_) learn(task);
    set_speeds();
    const int64_t first_ns = tasks_.empty() ? 0 : std::ranges::min(tasks_, {}, &Task::submitted_ns).submitted_ns;
    for (const Task& task : tasks_) add(task, first_ns);
    std::ranges::stable_sort(past_.jobs, {}, &Job::at_ns);
    if (!past_.jobs.empty()) past_.duration_ns = past_.jobs.back().at_ns + 1;
    if (drawn_ > 0)
      past_.notes.push_back(
          fmt::format("{} tasks did not succeed: their run times are sampled from other tasks", drawn_));
    if (without_memory_ > 0) {
      past_.notes.push_back(fmt::format(
          "{} tasks are assumed to use no memory, because no task of their type was measured", without_memory_));
    }
    if (left_out_ > 0)
      past_.notes.push_back(fmt::format("{} tasks are excluded because their run time is unknown", left_out_));
    return std::move(past_);
  }

 private:
  void learn(const Task& task) {
    Known& known = known_[task.spec.type];
    if (const auto run_ns = run_of(task)) {
      known.run_ns.push_back(*run_ns);
      known.run_ns_by_gpu[task.last()->gpu_name].push_back(*run_ns);
    }
    for (const Attempt& attempt : task.attempts) {
      if (attempt.peak_bytes && attempt.cause == EndCause::exit) known.peaks.push_back(*attempt.peak_bytes);
    }
  }

  /// Mean over the types of how fast each GPU was against the fastest, in logarithms.
  void set_speeds() {
    std::map<std::string, std::pair<double, int64_t>> logs;
    for (const auto& [type, known] : known_) {
      if (known.run_ns_by_gpu.size() < 2) continue;
      int64_t fastest_ns = 0;
      for (const auto& [gpu, run_ns] : known.run_ns_by_gpu) {
        const int64_t middle_ns = median(run_ns);
        fastest_ns = fastest_ns == 0 ? middle_ns : std::min(fastest_ns, middle_ns);
      }
      for (const auto& [gpu, run_ns] : known.run_ns_by_gpu) {
        logs[gpu].first += std::log(static_cast<double>(fastest_ns) / static_cast<double>(median(run_ns)));
        ++logs[gpu].second;
      }
    }
    for (const auto& [gpu, sum] : logs) past_.speeds[gpu] = std::exp(sum.first / static_cast<double>(sum.second));
  }

  [[nodiscard]] double speed_of(const std::string& gpu) const {
    const auto found = past_.speeds.find(gpu);
    return found == past_.speeds.end() ? 1 : found->second;
  }

  int64_t drawn(const std::vector<int64_t>& values) {
    return values[std::uniform_int_distribution<size_t>(0, values.size() - 1)(random_)];
  }

  void add(const Task& task, int64_t first_ns) {
    const Known& known = known_[task.spec.type];
    Job job{.at_ns = task.submitted_ns - first_ns, .batch = task.batch, .spec = task.spec, .fails_at = {}};
    if (const auto run_ns = run_of(task)) {
      job.run_ns = std::llround(static_cast<double>(*run_ns) * speed_of(task.last()->gpu_name));
    } else if (!known.run_ns.empty()) {
      job.run_ns = drawn(known.run_ns);
      ++drawn_;
    } else {
      ++left_out_;
      return;
    }
    const Attempt* const last = task.last();
    if (last != nullptr && last->peak_bytes && last->cause == EndCause::exit) {
      job.memory_bytes = *last->peak_bytes;
    } else if (!known.peaks.empty()) {
      job.memory_bytes = drawn(known.peaks);
    } else if (task.spec.gpus > 0) {
      ++without_memory_;
    }
    job.past_id = task.id;
    job.utilization = task.spec.simulated_utilization_percent / 100;
    set_spec(job.spec);
    past_.jobs.push_back(std::move(job));
  }

  /// What the configuration of today does not know is as if nobody had said it.
  void set_spec(TaskSpec& spec) const {
    const config::MultiGpu& multi = config_.gpu.multi_gpu;
    if (!multi.queue_priority_levels.contains(spec.priority)) spec.priority = multi.default_queue_priority;
    if (std::ranges::find(multi.strategies, spec.strategy) == multi.strategies.end()) spec.strategy.clear();
    spec.idempotency_key.clear();
  }

  std::vector<Task> tasks_;
  const config::Config& config_;
  std::mt19937_64 random_;
  std::map<std::string, Known> known_;
  Past past_;
  int64_t drawn_ = 0;
  int64_t without_memory_ = 0;
  int64_t left_out_ = 0;
};

}  // namespace

Past make_past(std::vector<Task> tasks, const config::Config& config, uint64_t seed) {
  return PastJobs(std::move(tasks), config, seed).make();
}

}  // namespace sonde::dispatch::simulation
