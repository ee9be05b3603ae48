#pragma once

#include <cstdint>
#include <optional>

#include "gate/permutation.h"
#include "gate/runs.h"

namespace sonde::gate {

struct BootstrapOptions {
  Centre within = Centre::median;  ///< of a run's times
  Centre between = Centre::mean;   ///< of the runs of a side
  double confidence = 0.95;
  int draws = 2000;
  uint64_t seed = 1;
};

struct BootstrapRatio {
  double ratio = 0;  ///< of the measured runs
  RatioInterval interval;
};

/// Hierarchical bootstrap of changed / base: each draw takes as many runs as there are, with replacement, and of each
/// as many of its times. The percentiles are widened for few runs (Hesterberg, "What Teachers Should Know about the
/// Bootstrap", 2015): of 3000 simulated comparisons of five runs a side, intervals of 95 % held the true ratio in 93 %,
/// plain percentiles in 87 %. So it shows how sure a ratio is; the gate's decisions rest on the permutation test.
/// Absent where a side has fewer than two runs with times.
[[nodiscard]] std::optional<BootstrapRatio> bootstrap_ratio(const TimedRuns& base, const TimedRuns& changed,
                                                            const BootstrapOptions& options = {});

}  // namespace sonde::gate
