/// Prints how often the gate raises false alarms and what change it finds, on simulated runs of 200 kernels, beside
/// what people use without it. Fails where the gate does not hold what docs/gate.md promises.
///
///     gate_table [COMPARISONS]

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <boost/math/distributions/students_t.hpp>

#include "base/decimal.h"
#include "gate/correction.h"
#include "gate/noise_floor.h"
#include "gate/permutation.h"
#include "gate/quantile.h"
#include "gate/simulated_runs.h"

namespace {

using namespace sonde::gate;
using Values = std::vector<double>;

constexpr size_t kKernels = 200;
constexpr double kRate = 0.005;  // of any false alarm, as the gate has it where nothing is said
constexpr double kPower = 0.95;
constexpr double kMostAlarms = 0.01;
constexpr double kMostAboveIdeal = 1.3;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// The smallest factor at which `alarms(factor)` begins to hold; it goes on to hold above. Infinity for none below 4.
double threshold(const std::function<bool(double)>& alarms) {
  double low = 0.25;
  double high = 4;
  if (!alarms(high)) return kNever;
  constexpr int kHalvings = 30;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(low * high);
    (alarms(middle) ? high : low) = middle;
  }
  return high;
}

struct Moments {
  double mean = 0;
  double squares = 0;  ///< of differences from it
};

Moments moments(const Values& values) {
  Moments m{.mean = mean_of(values)};
  for (const double v : values) m.squares += (v - m.mean) * (v - m.mean);
  return m;
}

/// Factor on the changed side from which Student's one-sided t-test finds it; `needed`: t at the level.
double t_test_factor(const Values& base, const Values& changed, double needed) {
  const Moments b = moments(base);
  const Moments c = moments(changed);
  const auto freedom = static_cast<double>(base.size() + changed.size() - 2);
  const double per_run = 1 / static_cast<double>(base.size()) + 1 / static_cast<double>(changed.size());
  return threshold([&](double f) {
    const double deviation = std::sqrt((b.squares + f * f * c.squares) / freedom * per_run);
    return (f * c.mean - b.mean) >= needed * deviation;
  });
}

double t_at(double level, size_t values) {
  const boost::math::students_t t(static_cast<double>(values - 2));
  return boost::math::quantile(boost::math::complement(t, level));
}

Values all_steps(const TimedRuns& runs) {
  Values all;
  for (const TimedRun& run : runs) all.insert(all.end(), run.begin(), run.end());
  return all;
}

struct Method {
  std::string name;
  int alarms = 0;
  Values factors = {};  ///< of the first kernel, by comparison

  void add(bool alarm, double factor) {
    alarms += alarm ? 1 : 0;
    factors.push_back(factor);
  }
  [[nodiscard]] double smallest_change() {
    std::ranges::sort(factors);
    return quantile_of_sorted(factors, kPower) - 1;
  }
};

/// One comparison: of every kernel both sides, all equal.
struct Compared {
  std::vector<SimulatedSides> kernels;
  std::vector<FamilyMember> centres;
};

Compared compare(const NoiseModel& model, size_t runs, Random& random) {
  Compared made;
  for (size_t k = 0; k < kKernels; ++k) {
    made.kernels.push_back(simulate_sides(model, runs, 1, random));
    made.centres.push_back(
        {run_centres(made.kernels[k].base, Centre::median), run_centres(made.kernels[k].changed, Centre::median)});
  }
  return made;
}

/// What judge() does with enough runs for Holm's method.
void by_holm(const Compared& compared, const Values& floors, Method& method) {
  bool alarm = false;
  double first = kNever;
  const double level = kRate / kKernels;
  for (size_t k = 0; k < kKernels; ++k) {
    const PermutationTest test(compared.centres[k].base, compared.centres[k].changed, 1);
    alarm = alarm || (test.p_above(1) <= level && test.ratio() > 1 + floors[k]);
    if (k == 0) first = std::max(1 / test.lower_bound(level), (1 + floors[k]) / test.ratio());
  }
  method.add(alarm, first);
}

/// What judge() does with fewer.
void by_max_t(const Compared& compared, const Values& floors, Method& method) {
  const auto found = [&](const Values& adjusted, size_t k, double factor) {
    const FamilyMember& kernel = compared.centres[k];
    return adjusted[k] <= kRate && ratio_of_means(kernel.base, kernel.changed) * factor > 1 + floors[k];
  };
  const Values unchanged = max_t(compared.centres, 1);
  bool alarm = false;
  for (size_t k = 0; k < kKernels; ++k) alarm = alarm || found(unchanged, k, 1);
  method.add(alarm, threshold([&](double factor) {
               std::vector<FamilyMember> family = compared.centres;
               for (double& v : family[0].changed) v *= factor;
               return found(max_t(family, 1), 0, factor);
             }));
}

void by_factor(Method& method, const std::function<double(size_t)>& factor_of) {
  double smallest = kNever;
  for (size_t k = 0; k < kKernels; ++k) smallest = std::min(smallest, factor_of(k));
  method.add(smallest <= 1, factor_of(0));
}

Values calibrated_floors(const NoiseModel& model, size_t runs, Random& random) {
  constexpr size_t kCalibrationRuns = 30;
  Values floors;
  for (size_t k = 0; k < kKernels; ++k) {
    const TimedRuns same = simulate_runs(model, kCalibrationRuns, random);
    floors.push_back(noise_floor(run_centres(same, Centre::median), runs, runs).value_or(0));
  }
  return floors;
}

/// Prints the rows of one noise and number of runs; whether the gate holds what it promises.
bool print_rows(double noise, size_t runs, int comparisons) {
  const NoiseModel model{.between_runs = noise};
  Random random(100 + runs);
  const Values floors = calibrated_floors(model, runs, random);
  const double of_ideal = t_at(kRate / kKernels, 2 * runs);
  const double of_steps = t_at(0.05, 2 * runs * model.steps);
  Method gate{"gate"};
  Method ideal{"t-test on the runs' medians, Bonferroni (ideal)"};
  Method steps{"t-test on all steps, 5 %"};
  Method previous{"ratio to the previous run, 5 %"};
  for (int i = 0; i < comparisons; ++i) {
    const Compared compared = compare(model, runs, random);
    runs >= 8 ? by_holm(compared, floors, gate) : by_max_t(compared, floors, gate);
    by_factor(ideal,
              [&](size_t k) { return t_test_factor(compared.centres[k].base, compared.centres[k].changed, of_ideal); });
    by_factor(steps, [&](size_t k) {
      return t_test_factor(all_steps(compared.kernels[k].base), all_steps(compared.kernels[k].changed), of_steps);
    });
    by_factor(previous, [&](size_t k) {
      return 1.05 * mean_of(compared.kernels[k].base.back()) / mean_of(compared.kernels[k].changed.back());
    });
  }
  const double ideal_change = ideal.smallest_change();
  for (Method* method : {&gate, &ideal, &steps, &previous}) {
    const double change = method->smallest_change();
    fmt::print("| {:.0f} % | {} | {} | {:.2f} % | {:.2f} % | {:.1f} % | {:.2f} |\n", 100 * noise, runs, method->name,
               100.0 * method->alarms / comparisons, 100 * rate_upper_bound(method->alarms, comparisons), 100 * change,
               change / ideal_change);
  }
  return rate_upper_bound(gate.alarms, comparisons) <= kMostAlarms &&
         gate.smallest_change() <= kMostAboveIdeal * ideal_change;
}

}  // namespace

int main(int count, char** arguments) {
  const int comparisons = count > 1 ? sonde::integer_of<int>(arguments[1]).value_or(2000) : 2000;
  fmt::print(
      "| between runs | runs a side | test | comparisons with a false alarm | upper 95 % bound | smallest change "
      "found with 95 % power | of the ideal |\n|---|---|---|---|---|---|---|\n");
  bool held = true;
  for (const double noise : {0.01, 0.03}) {
    for (const size_t runs : {5, 10}) held = print_rows(noise, runs, comparisons) && held;
  }
  return held ? 0 : 1;
}
