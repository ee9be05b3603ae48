#include "gate/noise_floor.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gate/quantile.h"
#include "gate/random.h"
#include "gate/runs.h"

namespace sonde::gate {
namespace {

constexpr size_t kComparisons = 10'000;  // a hundred of them lie beyond the 99th percentile

/// The deviation of a difference of means of so many runs, in units of one run's.
double spread(size_t base_runs, size_t changed_runs) {
  return std::sqrt(1 / static_cast<double>(base_runs) + 1 / static_cast<double>(changed_runs));
}

}  // namespace

std::optional<double> noise_floor(std::span<const double> centres, size_t base_runs, size_t changed_runs, double part,
                                  uint64_t seed) {
  if (centres.size() < kFewestCalibrationRuns) return std::nullopt;
  const bool enough = base_runs + changed_runs <= centres.size();
  const size_t base = enough ? base_runs : centres.size() / 2;
  const size_t changed = enough ? changed_runs : centres.size() / 2;
  Random random(seed);
  std::vector<double> pool(centres.begin(), centres.end());
  std::vector<double> differences(kComparisons);
  for (double& difference : differences) {
    random.choose(pool, base + changed);
    const std::span<const double> drawn(pool);
    const double ratio = ratio_of_means(drawn.first(base), drawn.subspan(base, changed));
    difference = std::max(ratio, 1 / ratio) - 1;
  }
  std::ranges::sort(differences);
  return quantile_of_sorted(differences, part) * spread(base_runs, changed_runs) / spread(base, changed);
}

}  // namespace sonde::gate
