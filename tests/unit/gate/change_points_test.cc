#include "gate/history/change_points.h"

#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "gate/quantile.h"
#include "gate/random.h"

namespace sonde::gate {
namespace change_points_test {

constexpr double kNoise = 0.01;

std::vector<double> noise(Random& random, size_t count) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) values.push_back(100 * (1 + kNoise * random.normal()));
  return values;
}

void raise_from(std::vector<double>& values, size_t index, double factor) {
  for (size_t i = index; i < values.size(); ++i) values[i] *= factor;
}

// Values of a t table: t = 2.22814 has p = 0.05 at 10 degrees of freedom. Here a and b have variance 1 each and n = 6.
TEST(TTest, IsThatOfTheTables) {
  const double unit = std::sqrt(5.0 / 6.0);  // six values at +-unit have the sample variance 1
  const double distance = 2.228139 * std::sqrt(2.0 / 6.0);
  const std::vector<double> a = {-unit, unit, -unit, unit, -unit, unit};
  std::vector<double> b = a;
  for (double& value : b) value += distance;
  EXPECT_NEAR(t_test(a, b), 0.05, 1e-5);
  EXPECT_DOUBLE_EQ(t_test(a, b), t_test(b, a));
}

TEST(TTest, WithoutNoise) {
  const std::vector<double> a(5, 0.1);
  const std::vector<double> b(4, 0.3);
  EXPECT_EQ(t_test(a, b), 0);
  EXPECT_EQ(t_test(a, a), 1);
  EXPECT_EQ(t_test(std::vector<double>{1}, std::vector<double>{2}), 1);
  EXPECT_EQ(t_test(a, {}), 1);
}

TEST(TTest, WithoutAnyOneIsTheLargestOfAll) {
  Random random(3);
  const std::vector<double> a = noise(random, 7);
  std::vector<double> b = noise(random, 5);
  b[2] += 8;
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    std::vector<double> fewer = a;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
    largest = std::max(largest, t_test(fewer, b));
  }
  for (size_t i = 0; i < b.size(); ++i) {
    std::vector<double> fewer = b;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
    largest = std::max(largest, t_test(a, fewer));
  }
  EXPECT_NEAR(t_test_without_any_one(a, b), largest, 1e-9 * largest);
  EXPECT_GT(largest, t_test(a, b));
}

TEST(ChangePoints, StepIsFoundWhereItIs) {
  Random random(1);
  std::vector<double> values = noise(random, 100);
  raise_from(values, 63, 1.1);
  const auto found = change_points(values, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].index, 63U);
  EXPECT_NEAR(found[0].before, 100, 0.5);
  EXPECT_NEAR(found[0].after, 110, 0.5);
  EXPECT_LT(found[0].p, 1e-20);
}

TEST(ChangePoints, TwoChangesAndTheWayBack) {
  Random random(2);
  std::vector<double> values = noise(random, 120);
  raise_from(values, 40, 1.08);
  raise_from(values, 80, 1 / 1.08);
  const auto found = change_points(values, {});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].index, 40U);
  EXPECT_EQ(found[1].index, 80U);
  EXPECT_DOUBLE_EQ(found[0].after, found[1].before);
}

TEST(ChangePoints, ChangesOfExactFiguresAreFoundWithoutNoise) {
  std::vector<double> values(10, 412);
  values.insert(values.end(), 3, 413);
  const auto found = change_points(values, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].index, 10U);
  EXPECT_EQ(found[0].p, 0);
  EXPECT_TRUE(change_points(std::vector<double>(13, 412), {}).empty());
}

TEST(ChangePoints, FewValuesHaveNone) {
  for (size_t count = 0; count < 4; ++count) {
    std::vector<double> values(count, 1);
    if (count > 0) values.back() = 2;
    EXPECT_TRUE(change_points(values, {}).empty()) << count;
  }
}

TEST(ChangePoints, OneOutlierIsNone) {
  for (const size_t at : {size_t{0}, size_t{1}, size_t{50}, size_t{97}, size_t{98}, size_t{99}}) {
    Random random(5);
    std::vector<double> values = noise(random, 100);
    ASSERT_TRUE(change_points(values, {}).empty());
    values[at] *= 1.3;
    EXPECT_TRUE(change_points(values, {}).empty()) << "at " << at;
  }
}

TEST(ChangePoints, SmallerThanDemandedIsNone) {
  Random random(1);
  std::vector<double> values = noise(random, 100);
  raise_from(values, 50, 1.03);
  EXPECT_EQ(change_points(values, {}).size(), 1U);
  EXPECT_EQ(change_points(values, {.min_magnitude = 0.02}).size(), 1U);
  EXPECT_TRUE(change_points(values, {.min_magnitude = 0.05}).empty());
}

TEST(ChangePoints, UnitsDoNotMatter) {
  Random random(8);
  std::vector<double> values = noise(random, 100);
  raise_from(values, 71, 1.04);
  const auto found = change_points(values, {});
  for (double& value : values) value *= 1e9;
  const auto scaled = change_points(values, {});
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(scaled.size(), 1U);
  EXPECT_EQ(found[0].index, scaled[0].index);
  EXPECT_NEAR(found[0].p, scaled[0].p, 1e-6 * found[0].p);
}

// What docs/gate/baseline.md says of the method.
TEST(ChangePoints, RatesOnNoiseAndOnSteps) {
  constexpr int kSeries = 1000;
  constexpr size_t kValues = 100;
  constexpr size_t kStep = 60;
  Random random(42);
  int false_alarms = 0;
  for (int i = 0; i < kSeries; ++i) false_alarms += change_points(noise(random, kValues), {}).empty() ? 0 : 1;
  std::printf("series of %zu values with 1 %% noise and no change: %d of %d have a change point (at most %.1f %%)\n",
              kValues, false_alarms, kSeries, 100 * rate_upper_bound(false_alarms, kSeries));
  EXPECT_LE(false_alarms, 20);
  for (const double step : {0.01, 0.02, 0.03, 0.05}) {
    int near = 0;
    int exact = 0;
    for (int i = 0; i < kSeries; ++i) {
      std::vector<double> values = noise(random, kValues);
      raise_from(values, kStep, 1 + step);
      for (const ChangePoint& found : change_points(values, {})) {
        near += found.index + 3 >= kStep && found.index <= kStep + 3 ? 1 : 0;
        exact += found.index == kStep ? 1 : 0;
      }
    }
    std::printf("a step of %.0f %%: found in %d of %d within 3 values, in %d at its place\n", 100 * step, near, kSeries,
                exact);
    if (step >= 0.03) {
      EXPECT_GE(near, 980);
    }
  }
  for (const size_t since : {size_t{1}, size_t{2}, size_t{3}, size_t{5}}) {
    int found = 0;
    for (int i = 0; i < kSeries; ++i) {
      std::vector<double> values = noise(random, kValues);
      raise_from(values, kValues - since, 1.05);
      found += change_points(values, {}).empty() ? 0 : 1;
    }
    std::printf("a step of 5 %% that %zu values show: found in %d of %d\n", since, found, kSeries);
    if (since >= 3) {
      EXPECT_GE(found, 980);
    }
  }
}

}  // namespace change_points_test
}  // namespace sonde::gate
