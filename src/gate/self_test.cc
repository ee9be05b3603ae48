#include "gate/self_test.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/system/parallel.h"
#include "gate/family_test.h"
#include "gate/noise_floor.h"
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

/// Of a change in one metric the smallest that is found is a percentile of so many comparisons: the 95th is then a
/// tenth of the noise's deviation or so from where more would put it. All comparisons where few metrics leave time for
/// it.
int power_draws(size_t metrics, int comparisons) {
  constexpr size_t kLeast = 200;
  constexpr size_t kInAll = 40'000;
  return std::min(comparisons, static_cast<int>(std::max(kLeast, kInAll / metrics)));
}

/// One A/A comparison: alarms, and the factors that would have been some.
class SelfComparison {
 public:
  SelfComparison(std::span<const TimedRuns> family, std::span<const double> floors, const SelfTestPlan& plan,
                 size_t index)
      : floors_(floors), random_(plan.seed * 1'000'003 + index) {
    const Draw base = draw_runs(plan.runs_per_side, family[0].size(), random_);
    const Draw changed = draw_runs(plan.runs_per_side, family[0].size(), random_);
    std::vector<double> room;
    for (const TimedRuns& runs : family) {
      members_.push_back({drawn_centres(runs, base, random_, room), drawn_centres(runs, changed, random_, room)});
    }
    test_.emplace(members_, floors_, FamilyTestPlan{plan.false_alarm_rate, 1 + plan.tolerance, plan.seed});
  }

  [[nodiscard]] bool alarm() const { return test_->any_alarm(); }
  [[nodiscard]] std::vector<double> factors() const {
    std::vector<double> factors;
    for (size_t metric = 0; metric < members_.size(); ++metric) factors.push_back(test_->alarming_factor(metric));
    return factors;
  }

 private:
  std::span<const double> floors_;
  Random random_;
  std::vector<FamilyMember> members_;
  std::optional<FamilyTest> test_;
};

std::optional<double> smallest_change(std::vector<double> factors, double power) {
  std::ranges::sort(factors);
  // Not between neighbours: one that is found and one that never is have nothing between them.
  const auto rank = static_cast<size_t>(std::ceil(power * static_cast<double>(factors.size())));
  const double factor = factors[std::max<size_t>(rank, 1) - 1];
  if (!std::isfinite(factor)) return std::nullopt;
  return factor - 1;
}

Status check(std::span<const TimedRuns> family, const SelfTestPlan& plan) {
  if (family.empty()) return fail("a self-test needs runs of at least one metric");
  if (plan.runs_per_side < 1 || plan.comparisons < 1)
    return fail("a self-test needs at least one run per side and one comparison");
  for (const TimedRuns& runs : family) {
    if (runs.size() < kFewestCalibrationRuns || runs.size() != family[0].size()) {
      return fail(
          "a self-test needs at least {} runs of the same program for each metric, and the same number of runs for all "
          "metrics",
          kFewestCalibrationRuns);
    }
    if (std::ranges::any_of(runs, &TimedRun::empty)) return fail("a run of the self-test has no times");
  }
  return {};
}

}  // namespace

Result<SelfTestResult> self_test(std::span<const TimedRuns> family, const SelfTestPlan& plan) {
  SONDE_TRY(check(family, plan));
  std::vector<double> floors;
  for (const TimedRuns& runs : family) {
    floors.push_back(
        noise_floor(run_centres(runs, Centre::median), plan.runs_per_side, plan.runs_per_side).value_or(0));
  }
  std::atomic<int> alarms = 0;
  std::vector<std::vector<double>> factors(static_cast<size_t>(power_draws(family.size(), plan.comparisons)));
  parallel_for(static_cast<size_t>(plan.comparisons), [&](size_t index) {
    const SelfComparison comparison(family, floors, plan, index);
    if (comparison.alarm()) ++alarms;
    if (index < factors.size()) factors[index] = comparison.factors();
  });
  SelfTestResult result{.false_alarm_rate = static_cast<double>(alarms) / plan.comparisons,
                        .false_alarm_bound = rate_upper_bound(alarms, plan.comparisons)};
  for (size_t metric = 0; metric < family.size(); ++metric) {
    std::vector<double> of_metric;
    for (const auto& of_comparison : factors) of_metric.push_back(of_comparison[metric]);
    result.smallest_change.push_back(smallest_change(std::move(of_metric), plan.power));
  }
  return result;
}

}  // namespace sonde::gate
