#include "gate/self_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gate/noise_floor.h"
#include "gate/permutation.h"
#include "gate/quantile.h"
#include "gate/random.h"

namespace sonde::gate {
namespace {

/// Times that are drawn together: a quarter of a run. With an autocorrelation of 0.9 what carries over has faded after
/// some 20 of the 100 steps that a run has.
size_t block_length(size_t times) { return std::max<size_t>(1, times / 4); }

/// A run's times again, in circular blocks (Politis and Romano 1992).
double redrawn_centre(const TimedRun& run, Random& random, std::vector<double>& room) {
  const size_t length = block_length(run.size());
  room.clear();
  while (room.size() < run.size()) {
    const size_t first = random.below(run.size());
    for (size_t i = 0; i < length && room.size() < run.size(); ++i) room.push_back(run[(first + i) % run.size()]);
  }
  return centre_of(room, Centre::median);
}

using Draw = std::vector<uint64_t>;  ///< indexes of runs

Draw draw_runs(size_t count, size_t runs, Random& random) {
  Draw drawn(count);
  for (uint64_t& run : drawn) run = random.below(runs);
  return drawn;
}

std::vector<double> drawn_centres(const TimedRuns& runs, const Draw& draw, Random& random, std::vector<double>& room) {
  std::vector<double> centres;
  for (const uint64_t run : draw) centres.push_back(redrawn_centre(runs[run], random, room));
  return centres;
}

/// The smallest factor that, put on the changed side of an A/A comparison, makes an alarm of it; infinity for none. 1
/// or less is a false alarm.
double alarming_factor(const PermutationTest& test, double level, double tolerance, double floor) {
  const double low = test.lower_bound(level);
  if (low <= 0) return std::numeric_limits<double>::infinity();
  return std::max((1 + tolerance) / low, (1 + std::max(tolerance, floor)) / test.ratio());
}

/// Alarming factors of all comparisons, by metric.
class Comparisons {
 public:
  Comparisons(std::span<const TimedRuns> family, const SelfTestPlan& plan)
      : family_(family), plan_(plan), random_(plan.seed), factors_(family.size()) {
    for (const TimedRuns& runs : family) {
      floors_.push_back(
          noise_floor(run_centres(runs, Centre::median), plan.runs_per_side, plan.runs_per_side).value_or(0));
    }
  }

  /// Whether any metric alarmed. Holm's method alarms at all where the smallest p-value is below level / tests, so that
  /// for "any alarm", and for one changed metric among unchanged ones, that level is its whole answer.
  bool make_one() {
    const size_t runs = family_[0].size();
    const Draw base = draw_runs(plan_.runs_per_side, runs, random_);
    const Draw changed = draw_runs(plan_.runs_per_side, runs, random_);
    const double level = plan_.false_alarm_rate / static_cast<double>(family_.size());
    bool alarm = false;
    for (size_t metric = 0; metric < family_.size(); ++metric) {
      const auto before = drawn_centres(family_[metric], base, random_, room_);
      const auto after = drawn_centres(family_[metric], changed, random_, room_);
      const PermutationTest test(before, after, plan_.seed);
      factors_[metric].push_back(alarming_factor(test, level, plan_.tolerance, floors_[metric]));
      alarm = alarm || factors_[metric].back() <= 1;
    }
    return alarm;
  }

  [[nodiscard]] std::optional<double> smallest_change(size_t metric) {
    std::ranges::sort(factors_[metric]);
    const double factor = quantile_of_sorted(factors_[metric], plan_.power);
    if (!std::isfinite(factor)) return std::nullopt;
    return factor - 1;
  }

 private:
  std::span<const TimedRuns> family_;
  const SelfTestPlan& plan_;
  Random random_;
  std::vector<double> floors_;
  std::vector<std::vector<double>> factors_;
  std::vector<double> room_;
};

Status check(std::span<const TimedRuns> family, const SelfTestPlan& plan) {
  if (family.empty()) return fail("a self-test needs runs of at least one metric");
  if (plan.runs_per_side < 1 || plan.comparisons < 1) return fail("a self-test needs runs and comparisons to make");
  for (const TimedRuns& runs : family) {
    if (runs.size() < kFewestCalibrationRuns || runs.size() != family[0].size()) {
      return fail("a self-test needs at least {} runs of the same program for each metric, and the same number for all",
                  kFewestCalibrationRuns);
    }
    if (std::ranges::any_of(runs, &TimedRun::empty)) return fail("a run of the self-test has no times");
  }
  return {};
}

}  // namespace

Result<SelfTestResult> self_test(std::span<const TimedRuns> family, const SelfTestPlan& plan) {
  SONDE_TRY(check(family, plan));
  Comparisons comparisons(family, plan);
  int alarms = 0;
  for (int i = 0; i < plan.comparisons; ++i) alarms += comparisons.make_one() ? 1 : 0;
  SelfTestResult result{.false_alarm_rate = static_cast<double>(alarms) / plan.comparisons,
                        .false_alarm_bound = rate_upper_bound(alarms, plan.comparisons)};
  for (size_t metric = 0; metric < family.size(); ++metric) {
    result.smallest_change.push_back(comparisons.smallest_change(metric));
  }
  return result;
}

}  // namespace sonde::gate
