#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/simulation/simulation.h"

namespace sonde::dispatch::simulation {

/// Of tasks that started, from when they could have run (nearest rank).
struct Waits {
  int64_t tasks = 0;
  int64_t median_ns = 0;
  int64_t p90_ns = 0;
  int64_t p99_ns = 0;
  int64_t longest_ns = 0;
};

/// What an outcome comes to.
struct Measures {
  std::string strategy;
  int64_t submitted = 0;
  int64_t refused = 0;  ///< by a full queue and the like
  int64_t succeeded = 0;
  int64_t failed = 0;
  int64_t timed_out = 0;  ///< that left the queue by queue_timeout
  int64_t left = 0;       ///< that were not over when the simulation was cut off
  Waits waits;
  std::map<std::string, Waits> by_priority;
  std::map<std::string, Waits> by_type;
  /// Mean of max(1, (wait + run) / max(run, 10 s)) of the tasks that succeeded (bounded slowdown: Feitelson and
  /// Rudolph, IPPS 1998); absent where there is none.
  std::optional<double> slowdown;
  /// Jain's index of the submitters' mean slowdowns: 1 where all wait alike for the length of their tasks, 1/n where
  /// one has all of the waiting.
  std::optional<double> fairness;
  double use = 0;             ///< share of the GPUs' time that tasks asked for, over the time of the workload
  double held_share = 0;      ///< of the GPUs' memory
  double reserved_share = 0;  ///< likewise
  int64_t makespan_ns = 0;
  int64_t attempts = 0;
  int64_t out_of_memory = 0;         ///< of them
  int64_t experienced_attempts = 0;  ///< with learned memory, once 20 of the type had ended
  int64_t experienced_out_of_memory = 0;
  int64_t forecasts = 0;  ///< of tasks that started
  int64_t forecasts_held = 0;
  int64_t started_early = 0;
  int64_t started_late = 0;
};
[[nodiscard]] Measures measures_of(const Outcome& outcome);

}  // namespace sonde::dispatch::simulation
