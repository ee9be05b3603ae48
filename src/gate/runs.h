#pragma once

#include <span>
#include <vector>

namespace sonde::gate {

/// One run (process): its steps or launches in the order in which they were measured, each above 0. They are no
/// independent measurements: clocks, temperature and the allocator carry over from one to the next.
using TimedRun = std::vector<double>;

/// One side of a comparison. The run is what is replicated.
using TimedRuns = std::vector<TimedRun>;

/// What stands for a set of values.
enum class Centre {
  mean,
  median,  ///< of an even number of values the mean of the two in the middle
};

/// Reorders `values`; there is at least one.
[[nodiscard]] double centre_of(std::span<double> values, Centre centre);

/// One value a run; runs without a value are left out.
[[nodiscard]] std::vector<double> run_centres(const TimedRuns& runs, Centre within);

[[nodiscard]] double mean_of(std::span<const double> values);

/// changed mean / base mean.
[[nodiscard]] double ratio_of_means(std::span<const double> base, std::span<const double> changed);

}  // namespace sonde::gate
