#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "device/simulated/description.h"
#include "dispatch/simulation/distribution.h"
#include "dispatch/task.h"

/// What `sonde simulate` plays: docs/serve/simulate.md, docs/schemas/workload.schema.json. Times are nanoseconds from
/// its start on.
namespace sonde::dispatch::simulation {

/// When tasks of a type come. From `from_ns` to `until_ns` of each simulated day.
struct Arrivals {
  int64_t every_ns = 0;  ///< mean of the time between; 0: none come
  bool regular = false;  ///< else at random (Poisson)
  int64_t from_ns = 0;
  int64_t until_ns = 86'400'000'000'000;
};

/// Tasks of one kind.
struct TaskKind {
  std::string type = "default";
  Arrivals arrivals;
  int64_t count = 1;      ///< that come at once
  bool is_batch = false;  ///< as one batch
  Distribution run_time;  ///< on a GPU of speed 1 that it has for itself
  Distribution memory;    ///< that it holds in the end on each of its GPUs
  double utilization = 0.8;
  double failures = 0;  ///< share that ends with exit status 1, somewhere in its run
  std::optional<std::string> priority;
  std::optional<int64_t> gpus;
  std::optional<int64_t> declared_bytes;
  std::optional<int64_t> time_limit_ns;
  std::optional<int64_t> retries;
  std::string strategy;
  std::vector<std::string> submitters;  ///< in turn; empty: the type
};

struct ListedTask {
  int64_t at_ns = 0;
  TaskKind kind;
};

struct Workload {
  int64_t duration_ns = 86'400'000'000'000;  ///< in which tasks come
  std::optional<device::simulated::HostDescription> host;
  std::map<std::string, double> speeds;  ///< of GPUs, by name; 1 for others
  std::vector<TaskKind> types;
  std::vector<ListedTask> tasks;
};

/// Errors name file, line and column, all that are found, a line each. Names of priorities, strategies and types of the
/// configuration are checked.
[[nodiscard]] Result<Workload> read_workload(std::string_view yaml, const std::string& file,
                                             const config::Config& config);

/// A task as it will be: the same for each strategy.
struct Job {
  int64_t at_ns = 0;
  int64_t batch = 0;  ///< those of one batch stand together; 0: none
  TaskSpec spec;
  int64_t run_ns = 0;
  int64_t memory_bytes = 0;
  double utilization = 0.8;
  std::optional<double> fails_at;  ///< share of its run
  int64_t past_id = 0;             ///< of a task of the past, which others may come after; 0: none
};

/// By time. The same for the same seed.
[[nodiscard]] std::vector<Job> make_jobs(const Workload& workload, const config::Config& config, uint64_t seed);

/// Tasks of the past: they come when they came and run as they ran. What was not measured (of those that did not
/// succeed) is drawn from the others of their type. Speeds of GPUs are those of the types that ran on several.
struct Past {
  std::vector<Job> jobs;
  std::map<std::string, double> speeds;
  int64_t duration_ns = 0;
  std::vector<std::string> notes;  ///< what had to be left out or made up, a sentence each
};
[[nodiscard]] Past make_past(std::vector<Task> tasks, const config::Config& config, uint64_t seed);

}  // namespace sonde::dispatch::simulation
