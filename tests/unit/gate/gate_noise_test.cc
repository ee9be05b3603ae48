#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "gate/bootstrap.h"
#include "gate/noise_floor.h"
#include "gate/quantile.h"
#include "gate/self_test.h"
#include "gate/simulated_runs.h"

namespace sonde::gate {
namespace gate_noise_test {

using Values = std::vector<double>;

TEST(RunCentres, medians_and_means_of_runs) {
  const TimedRuns runs{{1, 2, 9}, {}, {4, 2, 1, 3}};
  EXPECT_EQ(run_centres(runs, Centre::median), (Values{2, 2.5}));
  EXPECT_EQ(run_centres(runs, Centre::mean), (Values{4, 2.5}));
}

TEST(Quantile, stands_between_neighbours) {
  const Values values{10, 20, 30, 40};
  EXPECT_DOUBLE_EQ(quantile_of_sorted(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(values, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(values, 1), 40);
}

TEST(Quantile, upper_bound_of_a_rate) {
  // Nothing in n trials: 1 - 0.05^(1/n).
  EXPECT_NEAR(rate_upper_bound(0, 2000), 1 - std::pow(0.05, 1.0 / 2000), 1e-12);
  // At the bound, so few hits or fewer come in 5 % of cases: sum of the binomial's terms.
  const double rate = rate_upper_bound(2, 50);
  const double few = std::pow(1 - rate, 50) + 50 * rate * std::pow(1 - rate, 49) +
                     50 * 49 / 2.0 * rate * rate * std::pow(1 - rate, 48);
  EXPECT_NEAR(few, 0.05, 1e-9);
  EXPECT_EQ(rate_upper_bound(3, 3), 1);
}

TEST(SimulatedRuns, have_the_noise_that_was_asked_for) {
  Random random(1);
  const NoiseModel model{.between_runs = 0.03, .within_run = 0.01, .tail_share = 0, .drift_per_run = 0, .steps = 400};
  const TimedRuns runs = simulate_runs(model, 400, random);
  double neighbours = 0;
  double squares = 0;
  Values levels;
  for (const TimedRun& run : runs) {
    double sum = 0;
    for (const double time : run) sum += std::log(time / model.typical_ns);
    const double level = sum / static_cast<double>(run.size());
    levels.push_back(level);
    for (size_t i = 1; i < run.size(); ++i) {
      neighbours += (std::log(run[i] / model.typical_ns) - level) * (std::log(run[i - 1] / model.typical_ns) - level);
      squares += std::pow(std::log(run[i] / model.typical_ns) - level, 2);
    }
  }
  EXPECT_NEAR(neighbours / squares, 0.9, 0.02);
  EXPECT_NEAR(std::sqrt(squares / (400.0 * 400)), 0.01, 0.0007);
  double between = 0;
  for (const double level : levels) between += level * level;
  EXPECT_NEAR(std::sqrt(between / 400), 0.03, 0.003);
}

TEST(SimulatedRuns, a_planted_change_is_in_the_changed_side_only) {
  const NoiseModel quiet{.between_runs = 0, .within_run = 0, .tail_share = 0, .drift_per_run = 0, .steps = 2};
  Random random(1);
  const SimulatedSides sides = simulate_sides(quiet, 3, 1.5, random);
  EXPECT_EQ(sides.base, TimedRuns(3, TimedRun(2, 1e6)));
  EXPECT_EQ(sides.changed, TimedRuns(3, TimedRun(2, 1.5e6)));
}

TEST(SimulatedRuns, drift_falls_on_both_sides_alike) {
  const NoiseModel drifting{.between_runs = 0, .within_run = 0, .tail_share = 0, .drift_per_run = 0.01, .steps = 1};
  Random random(1);
  const SimulatedSides sides = simulate_sides(drifting, 4, 1, random);
  const Values base = run_centres(sides.base, Centre::mean);
  const Values changed = run_centres(sides.changed, Centre::mean);
  EXPECT_NEAR(ratio_of_means(base, changed), 1, 1e-12);
  EXPECT_GT(base.back(), 1.05 * base.front());
}

TEST(Bootstrap, runs_without_noise_have_an_interval_without_width) {
  const auto result = bootstrap_ratio({{10, 10}, {10}}, {{12}, {12, 12}});
  ASSERT_TRUE(result);
  EXPECT_DOUBLE_EQ(result->ratio, 1.2);
  EXPECT_DOUBLE_EQ(result->interval.low, 1.2);
  EXPECT_DOUBLE_EQ(result->interval.high, 1.2);
}

TEST(Bootstrap, one_run_or_none_has_no_interval) {
  EXPECT_FALSE(bootstrap_ratio({{10, 11}}, {{12}, {13}}));
  EXPECT_FALSE(bootstrap_ratio({{10}, {11}}, {{12}, {}}));
}

TEST(Bootstrap, centres_are_those_asked_for) {
  const TimedRuns base{{1, 2, 9}, {1, 2, 9}, {1, 2, 30}};
  const TimedRuns changed{{4, 4, 4}, {4, 4, 4}, {40, 40, 40}};
  EXPECT_DOUBLE_EQ(bootstrap_ratio(base, changed)->ratio, 16.0 / 2);
  const BootstrapOptions robust{.within = Centre::mean, .between = Centre::median};
  EXPECT_DOUBLE_EQ(bootstrap_ratio(base, changed, robust)->ratio, 1);
}

TEST(Bootstrap, the_seed_decides) {
  Random random(9);
  const SimulatedSides sides = simulate_sides({}, 5, 1, random);
  const auto once = bootstrap_ratio(sides.base, sides.changed, {.draws = 200});
  const auto again = bootstrap_ratio(sides.base, sides.changed, {.draws = 200});
  EXPECT_EQ(once->interval.low, again->interval.low);
  EXPECT_NE(once->interval.low, bootstrap_ratio(sides.base, sides.changed, {.draws = 200, .seed = 2})->interval.low);
}

/// Of simulated comparisons with a true ratio of 1.05, those whose interval holds it.
template <typename Interval>
double coverage(size_t runs, Interval interval_of) {
  Random random(10);
  constexpr int kRounds = 400;
  int held = 0;
  for (int round = 0; round < kRounds; ++round) {
    const SimulatedSides sides = simulate_sides({.between_runs = 0.02}, runs, 1.05, random);
    const RatioInterval interval = interval_of(sides);
    held += interval.low <= 1.05 && 1.05 <= interval.high ? 1 : 0;
  }
  return static_cast<double>(held) / kRounds;
}

TEST(Bootstrap, its_interval_holds_the_true_ratio_as_often_as_it_says) {
  const auto interval_of = [](const SimulatedSides& sides) {
    return bootstrap_ratio(sides.base, sides.changed, {.draws = 200})->interval;
  };
  const double of_five = coverage(5, interval_of);
  EXPECT_GT(of_five, 0.92);
  EXPECT_LT(of_five, 0.99);
  const double of_ten = coverage(10, interval_of);
  EXPECT_GT(of_ten, 0.92);
  EXPECT_LT(of_ten, 0.99);
}

TEST(PermutationInterval, holds_the_true_ratio_as_often_as_it_says) {
  const double held = coverage(8, [](const SimulatedSides& sides) {
    return PermutationTest(run_centres(sides.base, Centre::median), run_centres(sides.changed, Centre::median), 1)
        .interval(0.95);
  });
  EXPECT_GT(held, 0.925);
  EXPECT_LT(held, 0.985);
}

TEST(NoiseFloor, is_the_percentile_of_the_normal_distribution_where_noise_is_normal) {
  Random random(11);
  constexpr double kDeviation = 0.01;
  Values centres(400);
  for (double& v : centres) v = 1000 * (1 + kDeviation * random.normal());
  const auto floor = noise_floor(centres, 8, 8);
  ASSERT_TRUE(floor);
  EXPECT_NEAR(*floor, 2.576 * kDeviation * std::sqrt(2.0 / 8), 0.0014);
  EXPECT_NEAR(*noise_floor(centres, 8, 8, 0.95), 1.96 * kDeviation * std::sqrt(2.0 / 8), 0.0009);
}

TEST(NoiseFloor, fewer_runs_than_both_sides_are_scaled) {
  Random random(12);
  double sum = 0;
  constexpr int kRounds = 60;
  for (int round = 0; round < kRounds; ++round) {
    Values centres(12);
    for (double& v : centres) v = 1000 * (1 + 0.01 * random.normal());
    sum += *noise_floor(centres, 10, 10, 0.95);
  }
  EXPECT_NEAR(sum / kRounds, 1.96 * 0.01 * std::sqrt(2.0 / 10), 0.001);
}

TEST(NoiseFloor, too_few_runs_have_none_and_equal_ones_a_floor_of_zero) {
  EXPECT_FALSE(noise_floor(Values{1, 2, 3}, 1, 1));
  EXPECT_DOUBLE_EQ(*noise_floor(Values(6, 5), 3, 3), 0);
}

/// Smallest change that a one-sided t-test of so many runs a side finds with 95 % power, in deviations of one run's
/// level: the non-central t distribution's closed form.
double ideal_change(size_t runs, double level) {
  const auto freedom = static_cast<double>(2 * runs - 2);
  const double needed = boost::math::quantile(boost::math::complement(boost::math::students_t(freedom), level));
  double low = 0;
  double high = 100;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const double power = boost::math::cdf(boost::math::complement(boost::math::non_central_t(freedom, middle), needed));
    (power < 0.95 ? low : high) = middle;
  }
  return low * std::sqrt(2.0 / static_cast<double>(runs));
}

double deviation_of(const Values& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double v : values) squares += std::pow(v / mean - 1, 2);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

TEST(SelfTest, states_the_change_that_an_ideal_test_finds_and_few_false_alarms) {
  for (const double noise : {0.01, 0.03}) {
    Random random(13);
    const std::vector<TimedRuns> family{simulate_runs({.between_runs = noise, .drift_per_run = 0}, 60, random)};
    const auto result = self_test(family, {.runs_per_side = 10, .comparisons = 2000});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_LE(result->false_alarm_bound, 0.01);
    const double ideal = ideal_change(10, 0.005) * deviation_of(run_centres(family[0], Centre::median));
    ASSERT_TRUE(result->smallest_change[0]);
    EXPECT_LT(*result->smallest_change[0], 1.3 * ideal) << noise;
    EXPECT_GT(*result->smallest_change[0], 0.9 * ideal) << noise;
  }
}

TEST(SelfTest, two_hundred_kernels) {
  Random random(14);
  std::vector<TimedRuns> family;
  for (int kernel = 0; kernel < 200; ++kernel) family.push_back(simulate_runs({.steps = 20}, 40, random));
  const auto result = self_test(family, {.runs_per_side = 10, .comparisons = 20});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->false_alarm_rate, 0);
  const double ideal = ideal_change(10, 0.005 / 200) * deviation_of(run_centres(family[0], Centre::median));
  double sum = 0;
  for (const auto& change : result->smallest_change) sum += *change / 200;
  EXPECT_LT(sum, 1.3 * ideal);
}

TEST(SelfTest, with_too_few_runs_no_change_is_found) {
  Random random(15);
  const std::vector<TimedRuns> family{simulate_runs({}, 10, random)};
  const auto result = self_test(family, {.runs_per_side = 4, .comparisons = 50});
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->smallest_change[0]) << "the smallest p-value of 4 and 4 runs is 1 / 70";
  EXPECT_EQ(result->false_alarm_rate, 0);
}

TEST(SelfTest, says_what_it_lacks) {
  EXPECT_FALSE(self_test({}, {}));
  const std::vector<TimedRuns> few{{{1}, {2}, {3}}};
  EXPECT_FALSE(self_test(few, {}));
  const std::vector<TimedRuns> empty{{{1}, {2}, {3}, {}}};
  EXPECT_FALSE(self_test(empty, {}));
}

}  // namespace gate_noise_test
}  // namespace sonde::gate
