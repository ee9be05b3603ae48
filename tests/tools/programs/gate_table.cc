/// Prints how often the gate raises false alarms and which change it finds, on simulated runs of 200 kernels, next to
/// the usual methods without it. Fails if the gate does not meet docs/gate/gate.md.
///
///     gate_table [COMPARISONS]

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <boost/math/distributions/students_t.hpp>

#include "base/system/parallel.h"
#include "base/text/decimal.h"
#include "gate/decide/sequential.h"
#include "gate/family_test.h"
#include "gate/noise_floor.h"
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

/// What judge() does.
void by_gate(const Compared& compared, const Values& floors, Method& method) {
  const FamilyTest test(compared.centres, floors, {.false_alarm_rate = kRate});
  method.add(test.any_alarm(), test.alarming_factor(0));
}

void by_factor(Method& method, const std::function<double(size_t)>& factor_of) {
  double smallest = kNever;
  for (size_t k = 0; k < kKernels; ++k) smallest = std::min(smallest, factor_of(k));
  method.add(smallest <= 1, factor_of(0));
}

constexpr size_t kCalibrationRuns = 30;

std::vector<TimedRuns> calibration(const NoiseModel& model, Random& random) {
  std::vector<TimedRuns> kernels;
  for (size_t k = 0; k < kKernels; ++k) kernels.push_back(simulate_runs(model, kCalibrationRuns, random));
  return kernels;
}

Values floors_of(const std::vector<TimedRuns>& kernels, size_t runs) {
  Values floors;
  for (const TimedRuns& same : kernels) {
    floors.push_back(noise_floor(run_centres(same, Centre::median), runs, runs).value_or(0));
  }
  return floors;
}

void print_row(double noise, std::string_view runs, Method& method, int comparisons, double ideal_change) {
  const double change = method.smallest_change();
  fmt::print("| {:.0f} % | {} | {} | {:.2f} % | {:.2f} % | {:.1f} % | {:.2f} |\n", 100 * noise, runs, method.name,
             100.0 * method.alarms / comparisons, 100 * rate_upper_bound(method.alarms, comparisons), 100 * change,
             change / ideal_change);
  std::fflush(stdout);
}

bool holds(Method& gate, int comparisons, double ideal_change) {
  return rate_upper_bound(gate.alarms, comparisons) <= kMostAlarms &&
         gate.smallest_change() <= kMostAboveIdeal * ideal_change;
}

/// Prints the rows of one noise and number of runs; whether the gate holds what it promises.
bool print_rows(double noise, size_t runs, int comparisons) {
  const NoiseModel model{.between_runs = noise};
  Random random(100 + runs);
  const Values floors = floors_of(calibration(model, random), runs);
  const double of_ideal = t_at(kRate / kKernels, 2 * runs);
  const double of_steps = t_at(0.05, 2 * runs * model.steps);
  Method gate{"gate"};
  Method ideal{"t-test on the runs' medians, Bonferroni (ideal)"};
  Method steps{"t-test on all steps, 5 %"};
  Method previous{"ratio to the previous run, 5 %"};
  for (int i = 0; i < comparisons; ++i) {
    const Compared compared = compare(model, runs, random);
    by_gate(compared, floors, gate);
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
    print_row(noise, fmt::to_string(runs), *method, comparisons, ideal_change);
  }
  return holds(gate, comparisons, ideal_change);
}

constexpr std::array kLooks = {5, 10, 20};
constexpr size_t kFactors = 200;  // comparisons from which the change that is found is told: each takes half a second

/// The first runs of both sides, as they were after so many.
std::vector<FamilyMember> first_runs(const std::vector<FamilyMember>& all, size_t runs) {
  std::vector<FamilyMember> first = all;
  for (FamilyMember& member : first) {
    member.base.resize(runs);
    member.changed.resize(runs);
  }
  return first;
}

struct OneSequence {
  bool alarm = false;      ///< at any look
  double factor = kNever;  ///< smallest that makes an alarm at any look
  double ideal = kNever;   ///< of the ideal test after the last runs
  bool ideal_alarm = false;
};

/// One comparison of equal programs, looked at again and again. The factors only where they are asked for.
OneSequence look_again(const NoiseModel& model, std::span<const Values> floors, bool factors, Random random) {
  const Compared compared = compare(model, kLooks.back(), random);
  OneSequence one;
  for (size_t look = 0; look < kLooks.size(); ++look) {
    const auto members = first_runs(compared.centres, static_cast<size_t>(kLooks[look]));
    const FamilyTest test(members, floors[look], {.false_alarm_rate = kRate * rate_share(kLooks, look)});
    one.alarm = one.alarm || test.any_alarm();
    if (factors) one.factor = std::min(one.factor, test.alarming_factor(0));
  }
  const double needed = t_at(kRate / kKernels, size_t{2} * kLooks.back());
  for (size_t k = kKernels; k-- > 0;) {
    one.ideal = t_test_factor(compared.centres[k].base, compared.centres[k].changed, needed);
    one.ideal_alarm = one.ideal_alarm || one.ideal <= 1;
  }
  return one;
}

/// The same where the gate looks again after more runs, as `sonde gate run` does.
bool print_sequence(double noise, int comparisons) {
  const NoiseModel model{.between_runs = noise};
  Random random(kLooks.back());
  const auto kernels = calibration(model, random);
  std::vector<Values> floors;
  for (const int runs : kLooks) floors.push_back(floors_of(kernels, static_cast<size_t>(runs)));
  std::vector<OneSequence> made(static_cast<size_t>(comparisons));
  sonde::parallel_for(made.size(),
                      [&](size_t i) { made[i] = look_again(model, floors, i < kFactors, Random(1000 + i)); });
  Method gate{"gate, decides after 5, 10 or 20"};
  Method ideal{"t-test on the runs' medians, Bonferroni (ideal)"};
  for (size_t i = 0; i < made.size(); ++i) {
    gate.alarms += made[i].alarm ? 1 : 0;
    ideal.alarms += made[i].ideal_alarm ? 1 : 0;
    if (i >= kFactors) continue;
    gate.factors.push_back(made[i].factor);
    ideal.factors.push_back(made[i].ideal);
  }
  const double ideal_change = ideal.smallest_change();
  print_row(noise, "5 to 20", gate, comparisons, ideal_change);
  print_row(noise, "20", ideal, comparisons, ideal_change);
  return holds(gate, comparisons, ideal_change);
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
    held = print_sequence(noise, comparisons) && held;
  }
  return held ? 0 : 1;
}
