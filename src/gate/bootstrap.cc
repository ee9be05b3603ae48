#include "gate/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "gate/quantile.h"
#include "gate/random.h"

namespace sonde::gate {
namespace {

double drawn_centre(const TimedRun& run, Centre within, Random& random, std::vector<double>& room) {
  room.resize(run.size());
  for (double& value : room) value = run[random.below(run.size())];
  return centre_of(room, within);
}

double drawn_side(const TimedRuns& runs, const BootstrapOptions& options, Random& random, std::vector<double>& room) {
  std::vector<double> centres(runs.size());
  for (double& centre : centres) {
    centre = drawn_centre(runs[random.below(runs.size())], options.within, random, room);
  }
  return centre_of(centres, options.between);
}

double side_centre(const TimedRuns& runs, const BootstrapOptions& options) {
  std::vector<double> centres = run_centres(runs, options.within);
  return centre_of(centres, options.between);
}

/// The percentile below which a tail lies, widened: Phi(-sqrt(n / (n - 1)) t).
double tail_of(double confidence, size_t base_runs, size_t changed_runs) {
  const auto fewest = static_cast<double>(std::min(base_runs, changed_runs));
  const boost::math::students_t t(static_cast<double>(base_runs + changed_runs - 2));
  const double reach = std::sqrt(fewest / (fewest - 1)) * boost::math::quantile(t, (1 + confidence) / 2);
  return boost::math::cdf(boost::math::normal(), -reach);
}

TimedRuns with_times(TimedRuns runs) {
  std::erase_if(runs, [](const TimedRun& run) { return run.empty(); });
  return runs;
}

}  // namespace

std::optional<BootstrapRatio> bootstrap_ratio(const TimedRuns& base_runs, const TimedRuns& changed_runs,
                                              const BootstrapOptions& options) {
  const TimedRuns base = with_times(base_runs);
  const TimedRuns changed = with_times(changed_runs);
  if (base.size() < 2 || changed.size() < 2) return std::nullopt;
  Random random(options.seed);
  std::vector<double> room;
  std::vector<double> ratios(static_cast<size_t>(options.draws));
  for (double& ratio : ratios) {
    const double below = drawn_side(base, options, random, room);
    ratio = drawn_side(changed, options, random, room) / below;
  }
  std::ranges::sort(ratios);
  const double tail = tail_of(options.confidence, base.size(), changed.size());
  return BootstrapRatio{.ratio = side_centre(changed, options) / side_centre(base, options),
                        .interval = {quantile_of_sorted(ratios, tail), quantile_of_sorted(ratios, 1 - tail)}};
}

}  // namespace sonde::gate
