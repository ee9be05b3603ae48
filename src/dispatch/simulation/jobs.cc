#include <algorithm>
#include <cmath>

#include "base/time_units.h"
#include "dispatch/simulation/workload.h"

namespace sonde::dispatch::simulation {
namespace {

/// A generator for each arrival, so that a change of one type changes no other.
std::mt19937_64 random_of(uint64_t seed, size_t kind, int64_t arrival) {
  std::seed_seq seeds{seed, static_cast<uint64_t>(kind), static_cast<uint64_t>(arrival)};
  return std::mt19937_64(seeds);
}

class WorkloadJobs {
 public:
  WorkloadJobs(const config::Config& config, uint64_t seed) : config_(config), seed_(seed) {}

  std::vector<Job> make(const Workload& workload) {
    for (size_t i = 0; i < workload.types.size(); ++i) add_arrivals(workload.types[i], i, workload.duration_ns);
    for (size_t i = 0; i < workload.tasks.size(); ++i) {
      auto random = random_of(seed_, workload.types.size() + i, 0);
      add(workload.tasks[i].kind, workload.tasks[i].at_ns, 0, random);
    }
    std::ranges::stable_sort(jobs_, {}, &Job::at_ns);
    return std::move(jobs_);
  }

 private:
  void add_arrivals(const TaskKind& kind, size_t number, int64_t duration_ns) {
    const Arrivals& arrivals = kind.arrivals;
    if (arrivals.every_ns <= 0) return;
    auto gaps = random_of(seed_, number, -1);
    std::exponential_distribution<double> gap(1 / static_cast<double>(arrivals.every_ns));
    int64_t arrival = 0;
    for (int64_t day_ns = 0; day_ns < duration_ns; day_ns += kNsPerDay) {
      const int64_t end_ns = std::min(day_ns + arrivals.until_ns, duration_ns);
      const auto next = [&] { return arrivals.regular ? arrivals.every_ns : std::llround(gap(gaps)); };
      for (int64_t at_ns = day_ns + arrivals.from_ns + next(); at_ns < end_ns; at_ns += next()) {
        auto random = random_of(seed_, number, arrival);
        add(kind, at_ns, arrival++, random);
      }
    }
  }

  void add(const TaskKind& kind, int64_t at_ns, int64_t arrival, std::mt19937_64& random) {
    if (kind.is_batch) ++batches_;
    for (int64_t i = 0; i < kind.count; ++i) {
      Job job{
          .at_ns = at_ns, .batch = kind.is_batch ? batches_ : 0, .spec = spec_of(kind, arrival + i), .fails_at = {}};
      job.run_ns = std::max<int64_t>(std::llround(kind.run_time.draw(random)), 1'000'000);
      job.memory_bytes = std::llround(kind.memory.draw(random));
      job.utilization = kind.utilization;
      std::uniform_real_distribution<double> share(0, 1);
      if (share(random) < kind.failures) job.fails_at = share(random);
      jobs_.push_back(std::move(job));
    }
  }

  [[nodiscard]] TaskSpec spec_of(const TaskKind& kind, int64_t number) const {
    const auto declared = config_.sonde.tasks.types.find(kind.type);
    const config::TaskType type = declared == config_.sonde.tasks.types.end() ? config::TaskType{} : declared->second;
    TaskSpec spec;
    spec.type = kind.type;
    spec.command = {"simulated"};
    spec.priority =
        kind.priority.value_or(type.priority.empty() ? config_.gpu.multi_gpu.default_queue_priority : type.priority);
    spec.gpus = kind.gpus.value_or(type.gpus);
    spec.memory_bytes = kind.declared_bytes;
    if (!spec.memory_bytes && type.memory_bytes > 0) spec.memory_bytes = type.memory_bytes;
    spec.time_limit_ns = kind.time_limit_ns;
    if (!spec.time_limit_ns && type.time_limit > 0) spec.time_limit_ns = std::llround(type.time_limit * 1e9);
    spec.retries = kind.retries.value_or(type.retries >= 0 ? type.retries : config_.sonde.tasks.retries);
    spec.retry_failures = kind.retries.has_value() || type.retries >= 0;
    spec.strategy = kind.strategy;
    const size_t count = kind.submitters.size();
    spec.submitted_by = count == 0 ? kind.type : kind.submitters[static_cast<size_t>(number) % count];
    return spec;
  }

  const config::Config& config_;
  uint64_t seed_;
  int64_t batches_ = 0;
  std::vector<Job> jobs_;
};

}  // namespace

std::vector<Job> make_jobs(const Workload& workload, const config::Config& config, uint64_t seed) {
  return WorkloadJobs(config, seed).make(workload);
}

}  // namespace sonde::dispatch::simulation
