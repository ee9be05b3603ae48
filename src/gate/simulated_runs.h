#pragma once

#include "gate/random.h"
#include "gate/runs.h"

namespace sonde::gate {

/// Noise as GPU programs have it. Deviations are shares of the time.
struct NoiseModel {
  double typical_ns = 1e6;
  double between_runs = 0.01;     ///< deviation of a run's level (allocator, clocks at start)
  double within_run = 0.01;       ///< deviation of a step around the run's level, without the tail
  double autocorrelation = 0.9;   ///< of neighbouring steps
  double tail_share = 0.05;       ///< of steps that something else delays
  double tail_mean = 0.1;         ///< mean delay of those, exponential
  double drift_per_run = 0.0002;  ///< the clock falls as the GPU warms: by so much from one run to the next
  size_t steps = 20;
};

/// Two sides whose runs were made interleaved (base, changed, changed, base, ...), the changed one's times multiplied
/// by `change`.
struct SimulatedSides {
  TimedRuns base;
  TimedRuns changed;
};
[[nodiscard]] SimulatedSides simulate_sides(const NoiseModel& model, size_t runs_per_side, double change,
                                            Random& random);

/// Runs of one program behind each other.
[[nodiscard]] TimedRuns simulate_runs(const NoiseModel& model, size_t runs, Random& random);

}  // namespace sonde::gate
