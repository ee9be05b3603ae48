#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "device/simulated/description.h"
#include "dispatch/decision.h"
#include "dispatch/simulation/workload.h"

/// The dispatcher's engine on a virtual clock: what would become of these tasks on these GPUs.
namespace sonde::dispatch::simulation {

struct Setup {
  config::Config config;  ///< its default strategy is the one that is played
  device::simulated::HostDescription host;
  std::map<std::string, double> speeds;  ///< of GPUs, by name
  std::span<const Job> jobs;
  int64_t duration_ns = 0;  ///< over which the use of GPUs is counted
  uint64_t seed = 1;        ///< of the strategy random and of forecasts
};

/// What became of a task. Times are nanoseconds from the start on.
struct TaskOutcome {
  Task task;
  std::optional<StartForecast> forecast;  ///< as it was made when it had to wait
};

/// An attempt on one of its GPUs.
struct Interval {
  int64_t task = 0;
  int64_t attempt = 1;
  size_t gpu = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t reserved_bytes = 0;
  MemorySource source = MemorySource::share;  ///< of what is reserved
  int64_t held_bytes = 0;                     ///< at its end
  EndCause cause = EndCause::none;
};

/// What a GPU did over the time of the workload.
struct GpuUse {
  std::string name;
  int64_t memory_bytes = 0;   ///< that tasks can have
  double use = 0;             ///< share of the time that tasks asked for
  double held_share = 0;      ///< of its memory, mean over time
  double reserved_share = 0;  ///< likewise
};

/// A moment of the plot.
struct Moment {
  int64_t at_ns = 0;
  int64_t waiting = 0;
  int64_t running = 0;
  double use = 0;  ///< mean of the GPUs, since the moment before
};

struct Outcome {
  std::string strategy;
  std::vector<TaskOutcome> tasks;          ///< that were taken, by id
  std::map<std::string, int64_t> refused;  ///< by code
  std::vector<Interval> intervals;         ///< by their starts
  std::vector<GpuUse> gpus;
  std::vector<Moment> moments;  ///< each minute, or a five hundredth of the time where that is longer
  int64_t makespan_ns = 0;      ///< end of the last task
  int64_t steps = 0;            ///< of the engine
  bool was_cut_off = false;     ///< tasks were left after ten times the duration
};

/// The error says why nothing could be played.
[[nodiscard]] Result<Outcome> simulate(const Setup& setup);

}  // namespace sonde::dispatch::simulation
