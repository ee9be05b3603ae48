#include "gate/family_test.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "gate/simulated_runs.h"
#include "gate/verdict.h"

namespace sonde::gate {
namespace gate_family_test {

constexpr size_t kTests = 12;

struct Family {
  std::vector<FamilyMember> members;
  std::vector<double> floors;
};

/// Members are slower by up to `most`.
Family family_of(size_t runs, double most, Random& random) {
  Family family;
  for (size_t i = 0; i < kTests; ++i) {
    const SimulatedSides sides = simulate_sides({.steps = 1}, runs, 1 + most * random.unit(), random);
    family.members.push_back({run_centres(sides.base, Centre::median), run_centres(sides.changed, Centre::median)});
    family.floors.push_back(0.02 * random.unit());
  }
  return family;
}

TimedRuns one_time_each(const std::vector<double>& centres) {
  TimedRuns runs;
  for (const double v : centres) runs.push_back({v});
  return runs;
}

/// Whether judge() fails the members: the words that people get.
std::vector<bool> judged(const Family& family, const FamilyTestPlan& plan) {
  BudgetRule rule;
  rule.metric = find_metric("kernel_time");
  rule.demand = AllowedChange{.share = plan.allowed - 1};
  std::vector<Subject> subjects;
  for (size_t i = 0; i < family.members.size(); ++i) {
    subjects.push_back({.rule = &rule,
                        .name = "k",
                        .changed = one_time_each(family.members[i].changed),
                        .base = one_time_each(family.members[i].base),
                        .noise_floor = family.floors[i]});
  }
  std::vector<bool> failed;
  for (const Verdict& v : judge(subjects, {.false_alarm_rate = plan.false_alarm_rate, .seed = plan.seed})) {
    failed.push_back(v.outcome == Outcome::fail);
  }
  return failed;
}

/// 5 runs of 12 tests are corrected by max_t, 8 by Holm's method.
TEST(FamilyTest, alarms_where_the_gate_fails) {
  for (const size_t runs : {5, 8}) {
    Random random(runs);
    int alarms = 0;
    for (int round = 0; round < 60; ++round) {
      const Family family = family_of(runs, 0.02, random);
      const FamilyTestPlan plan{.false_alarm_rate = 0.02, .allowed = round % 2 == 0 ? 1.0 : 1.005};
      const bool alarm = FamilyTest(family.members, family.floors, plan).any_alarm();
      EXPECT_EQ(alarm, (std::ranges::count(judged(family, plan), true) > 0)) << runs << " runs, round " << round;
      alarms += alarm ? 1 : 0;
    }
    EXPECT_GT(alarms, 5);
    EXPECT_LT(alarms, 55);
  }
}

TEST(FamilyTest, the_factor_is_the_one_from_which_the_gate_fails_the_member) {
  for (const size_t runs : {5, 8}) {
    Random random(100 + runs);
    for (int round = 0; round < 20; ++round) {
      Family family = family_of(runs, 0, random);
      const FamilyTestPlan plan{.false_alarm_rate = 0.02};
      const double factor = FamilyTest(family.members, family.floors, plan).alarming_factor(3);
      ASSERT_TRUE(std::isfinite(factor));
      const FamilyMember measured = family.members[3];
      for (const double off : {-1e-3, 1e-3}) {
        for (size_t i = 0; i < runs; ++i) family.members[3].changed[i] = measured.changed[i] * factor * (1 + off);
        EXPECT_EQ(judged(family, plan)[3], off > 0) << runs << " runs, round " << round;
      }
    }
  }
}

TEST(FamilyTest, too_few_runs_find_no_factor) {
  Random random(1);
  const Family family = family_of(3, 0, random);
  const FamilyTest test(family.members, family.floors, {});
  EXPECT_FALSE(test.any_alarm());
  EXPECT_EQ(test.alarming_factor(0), std::numeric_limits<double>::infinity());
}

}  // namespace gate_family_test
}  // namespace sonde::gate
