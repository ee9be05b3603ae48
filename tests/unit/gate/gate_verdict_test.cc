#include "gate/verdict.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/args.h>
#include <gtest/gtest.h>

#include "gate/simulated_runs.h"
#include "report/text/sentence.h"

namespace sonde::gate {
namespace gate_verdict_test {

BudgetRule rule_of(const std::string& yaml) {
  const BudgetReading reading = read_budget("rules: [" + yaml + "]");
  EXPECT_TRUE(reading.problems.empty()) << problem_text(yaml, reading.problems.at(0));
  return reading.budget.rules.at(0);
}

/// What a person would read; fails where a text asks for an argument that is not given.
std::string sentence(std::string_view reason, const std::vector<Argument>& arguments) {
  EXPECT_FALSE(reason_text(reason).empty()) << reason;
  return sonde::sentence(reason_text(reason), arguments);
}

Verdict judged(const BudgetRule& rule, TimedRuns changed, std::optional<TimedRuns> base = {},
               std::optional<double> floor = {}) {
  const Subject subject{
      .rule = &rule, .name = "the run", .changed = std::move(changed), .base = std::move(base), .noise_floor = floor};
  Verdict verdict = judge(std::span(&subject, 1), {})[0];
  EXPECT_FALSE(sentence(verdict.reason, verdict.arguments).empty());
  return verdict;
}

/// Runs of one value each.
TimedRuns runs_of(std::initializer_list<double> values) {
  TimedRuns runs;
  for (const double v : values) runs.push_back({v});
  return runs;
}

TEST(Judge, the_200_ms_rule_with_one_run) {
  const BudgetRule rule = rule_of("avg_kernel_time <= 200 ms");
  const Verdict within = judged(rule, {{200e6}});
  EXPECT_EQ(within.outcome, Outcome::pass);
  EXPECT_EQ(within.reason, "within_bound");
  const Verdict past = judged(rule, {{200e6 + 1}});
  EXPECT_EQ(past.outcome, Outcome::fail);
  EXPECT_EQ(sentence(past.reason, past.arguments),
            "avg_kernel_time of the run is 200 ms; the budget demands at most 200 ms.");
}

TEST(Judge, every_comparison_at_its_edge) {
  const auto outcome = [](const std::string& sign, double value) {
    const BudgetRule rule = rule_of("'kernels_per_step " + sign + " 7'");
    return judged(rule, {{value}}).outcome == Outcome::pass;
  };
  EXPECT_TRUE(outcome("<=", 7) && !outcome("<=", 8));
  EXPECT_TRUE(outcome("<", 6) && !outcome("<", 7));
  EXPECT_TRUE(outcome(">=", 7) && !outcome(">=", 6));
  EXPECT_TRUE(outcome(">", 8) && !outcome(">", 7));
  EXPECT_TRUE(outcome("==", 7) && !outcome("==", 8) && !outcome("==", 6));
}

TEST(Judge, a_bound_on_an_exact_metric_holds_for_every_run_and_on_a_timed_one_for_their_mean) {
  const BudgetRule exact = rule_of("peak_memory <= 40 GB");
  const Verdict past = judged(exact, runs_of({39e9, 41e9, 39e9}));
  EXPECT_EQ(past.outcome, Outcome::fail);
  EXPECT_EQ(past.arguments.at(2).number, 41e9);
  const BudgetRule timed = rule_of("step_time <= 10 ms");
  EXPECT_EQ(judged(timed, {{9e6, 9e6, 90e6}, {10.5e6}}).outcome, Outcome::pass) << "medians 9 and 10.5 ms";
}

TEST(Judge, what_is_missing_never_passes) {
  const BudgetRule bound = rule_of("avg_kernel_time <= 200 ms");
  const BudgetRule change = rule_of("{metric: step_time, max_change: 3 %}");
  const BudgetRule exact = rule_of("{metric: launches_per_step}");
  const TimedRuns some = runs_of({1, 1});
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto reason = [](const Verdict& verdict) {
    EXPECT_EQ(verdict.outcome, Outcome::not_comparable);
    return verdict.reason;
  };
  EXPECT_EQ(reason(judged(bound, {})), "absent");
  EXPECT_EQ(reason(judged(bound, {{}, {}})), "absent");
  EXPECT_EQ(reason(judged(bound, {{1}, {}})), "absent_in_some");
  EXPECT_EQ(reason(judged(bound, {{kNan}})), "no_number");
  EXPECT_EQ(reason(judged(exact, some)), "no_baseline");
  EXPECT_EQ(reason(judged(exact, some, TimedRuns())), "absent_in_base");
  EXPECT_EQ(reason(judged(exact, some, TimedRuns{{}, {}})), "absent_in_base");
  EXPECT_EQ(reason(judged(exact, some, TimedRuns{{1}, {}})), "absent_in_some");
  EXPECT_EQ(reason(judged(exact, runs_of({kNan}), some)), "no_number");
  EXPECT_EQ(reason(judged(exact, some, runs_of({kNan}))), "no_number");
  EXPECT_EQ(reason(judged(change, {}, some)), "absent");
  EXPECT_EQ(reason(judged(change, some, runs_of({0, 1}))), "no_time");
  EXPECT_EQ(reason(judged(change, runs_of({0, 1}), some)), "no_time");
}

TEST(Judge, a_time_that_one_side_has_nothing_of_is_compared_exactly) {
  const BudgetRule rule = rule_of("{metric: synchronization_time, max_change: 3 %, floor: 50 us}");
  EXPECT_EQ(judged(rule, runs_of({60e3, 70e3}), runs_of({0, 0})).reason, "time_added");
  EXPECT_EQ(judged(rule, runs_of({60e3, 70e3}), runs_of({0, 0})).outcome, Outcome::fail);
  EXPECT_EQ(judged(rule, runs_of({0, 70e3}), runs_of({0, 0})).reason, "time_added_in_some");
  EXPECT_EQ(judged(rule, runs_of({0, 70e3}), runs_of({0, 0})).outcome, Outcome::inconclusive);
  EXPECT_EQ(judged(rule, runs_of({40e3, 50e3}), runs_of({0, 0})).reason, "time_added_allowed");
  EXPECT_EQ(judged(rule, runs_of({0, 0}), runs_of({9e3, 8e3})).reason, "time_removed");
  EXPECT_EQ(judged(rule, runs_of({0, 0}), runs_of({0, 0})).outcome, Outcome::pass);
  const BudgetRule share = rule_of("{metric: gpu_utilization, max_change: 3 %}");
  EXPECT_EQ(judged(share, runs_of({0, 0}), runs_of({90, 91})).outcome, Outcome::fail);
  EXPECT_EQ(judged(share, runs_of({90, 91}), runs_of({0, 0})).outcome, Outcome::pass);
}

TEST(Judge, a_step_without_any_of_a_time_does_not_hide_the_others) {
  const BudgetRule rule = rule_of("{metric: synchronization_time, max_change: 3 %}");
  EXPECT_NE(judged(rule, {{0, 5, 5}, {5, 5, 5}}, TimedRuns{{5, 5, 0}, {5, 5, 5}}).reason, "no_time");
}

TEST(Judge, exact_metrics_with_one_run) {
  const BudgetRule rule = rule_of("{metric: launches_per_step}");
  EXPECT_EQ(judged(rule, {{100}}, TimedRuns{{100}}).reason, "exact_same");
  EXPECT_EQ(judged(rule, {{99}}, TimedRuns{{100}}).reason, "exact_better");
  EXPECT_EQ(judged(rule, {{101}}, TimedRuns{{100}}).outcome, Outcome::fail);
  EXPECT_EQ(judged(rule, {{1}}, TimedRuns{{0}}).outcome, Outcome::fail);
  EXPECT_EQ(judged(rule, {{0}}, TimedRuns{{0}}).outcome, Outcome::pass);
}

TEST(Judge, exact_metrics_within_what_is_allowed) {
  const BudgetRule share = rule_of("{metric: launches_per_step, max_change: 5 %}");
  EXPECT_EQ(judged(share, {{105}}, TimedRuns{{100}}).reason, "exact_allowed");
  EXPECT_EQ(judged(share, {{106}}, TimedRuns{{100}}).reason, "exact_worse");
  const BudgetRule larger = rule_of("{metric: launches_per_step, max_change: 5 %, floor: 10}");
  EXPECT_EQ(judged(larger, {{110}}, TimedRuns{{100}}).outcome, Outcome::pass);
  EXPECT_EQ(judged(larger, {{111}}, TimedRuns{{100}}).outcome, Outcome::fail);
}

TEST(Judge, more_is_better_for_occupancy) {
  const BudgetRule rule = rule_of("{metric: theoretical_occupancy, max_change: 10 %}");
  EXPECT_EQ(judged(rule, {{50}}, TimedRuns{{75}}).outcome, Outcome::fail);
  EXPECT_EQ(judged(rule, {{70}}, TimedRuns{{75}}).reason, "exact_allowed");
  EXPECT_EQ(judged(rule, {{100}}, TimedRuns{{75}}).reason, "exact_better");
}

TEST(Judge, exact_metrics_that_vary_are_open_unless_every_pair_agrees) {
  const BudgetRule rule = rule_of("{metric: launches_per_step}");
  EXPECT_EQ(judged(rule, runs_of({100, 102}), runs_of({100, 101})).outcome, Outcome::inconclusive);
  EXPECT_EQ(judged(rule, runs_of({103, 102}), runs_of({100, 101})).outcome, Outcome::fail);
  EXPECT_EQ(judged(rule, runs_of({98, 99}), runs_of({100, 101})).outcome, Outcome::pass);
}

const std::string kStep = "{metric: step_time, max_change: 3 %}";

TEST(Judge, a_timed_metric_with_one_run_is_open_whatever_it_shows) {
  const BudgetRule rule = rule_of(kStep);
  for (const double value : {1.0, 50.0, 100.0, 1000.0}) {
    const Verdict verdict = judged(rule, {{value}}, TimedRuns{{100}});
    EXPECT_EQ(verdict.outcome, Outcome::inconclusive);
    EXPECT_EQ(verdict.reason, "timed_too_few");
    EXPECT_EQ(verdict.arguments.back().name, "needed");
    EXPECT_EQ(verdict.arguments.back().number, 5) << "C(10, 5) = 252 arrangements are the first above 1 / 0.005";
  }
}

TEST(Judge, clear_cases_of_timed_metrics) {
  const BudgetRule rule = rule_of(kStep);
  const TimedRuns base = runs_of({100, 101, 99, 100.5, 99.5});
  EXPECT_EQ(judged(rule, runs_of({100.2, 100.7, 99.1, 100.4, 99.6}), base).reason, "timed_same");
  EXPECT_EQ(judged(rule, runs_of({110, 111, 109, 110.5, 109.5}), base).reason, "timed_worse");
  EXPECT_EQ(judged(rule, runs_of({90, 91, 89, 90.5, 89.5}), base).reason, "timed_better");
  const Verdict open = judged(rule, runs_of({103, 104, 102, 103.5, 102.5}), base);
  EXPECT_EQ(open.reason, "timed_near") << "no number of runs tells 3 % from 3 %";
  EXPECT_EQ(open.outcome, Outcome::inconclusive);
  ASSERT_TRUE(open.interval);
  EXPECT_LT(open.interval->low, 1.03);
  EXPECT_GT(open.interval->high, 1.03);
  const Verdict decidable = judged(rule, runs_of({104, 105, 103, 104.5, 103.5}), base);
  EXPECT_EQ(decidable.reason, "timed_open");
  EXPECT_TRUE(sentence(decidable.reason, decidable.arguments).contains("About 23 runs per side would decide"))
      << sentence(decidable.reason, decidable.arguments);
}

TEST(Judge, the_numbers_of_a_failure) {
  const BudgetRule rule = rule_of(kStep);
  const Verdict verdict = judged(rule, runs_of({110, 111, 109, 110.5, 109.5}), runs_of({100, 101, 99, 100.5, 99.5}));
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_DOUBLE_EQ(*verdict.base, 100);
  EXPECT_DOUBLE_EQ(*verdict.changed, 110);
  EXPECT_DOUBLE_EQ(*verdict.p, 1.0 / 252);
  EXPECT_EQ(sentence(verdict.reason, verdict.arguments),
            "step_time of the run went from 100 ns to 110 ns, worse by 10.0 % where 3.0 % is allowed. If the runs were "
            "interleaved and the change were within the limit, a difference this large would occur with probability "
            "0.4 %.");
}

TEST(Judge, the_noise_floor_keeps_a_certain_but_small_difference_from_failing) {
  const BudgetRule rule = rule_of(kStep);
  const TimedRuns base = runs_of({100, 100.1, 99.9, 100.05, 99.95});
  const TimedRuns changed = runs_of({104, 104.1, 103.9, 104.05, 103.95});
  EXPECT_EQ(judged(rule, changed, base).outcome, Outcome::fail);
  EXPECT_EQ(judged(rule, changed, base, 0.02).outcome, Outcome::fail) << "narrower than the allowed change";
  EXPECT_EQ(judged(rule, changed, base, 0.05).reason, "timed_in_noise");
  EXPECT_EQ(judged(rule, changed, base, 0.05).outcome, Outcome::inconclusive);
  const TimedRuns same = runs_of({102.9, 103.2, 102.8, 103.1, 102.7});
  EXPECT_EQ(judged(rule, same, base).outcome, Outcome::inconclusive);
  EXPECT_EQ(judged(rule, same, base, 0.05).outcome, Outcome::pass) << "what is not shown to be worse, and is below it";
}

TEST(Judge, the_absolute_floor_spares_short_kernels) {
  const BudgetRule rule = rule_of("{metric: kernel_time, max_change: 3 %, floor: 20 us}");
  const TimedRuns base = runs_of({100e3, 100.1e3, 99.9e3, 100.2e3, 99.8e3});
  const TimedRuns changed = runs_of({110e3, 110.1e3, 109.9e3, 110.2e3, 109.8e3});
  EXPECT_EQ(judged(rule, changed, base).outcome, Outcome::pass) << "10 % of a kernel of 100 us are 10 us";
}

TEST(Judge, timed_metrics_of_which_more_is_better) {
  const BudgetRule rule = rule_of("{metric: gpu_utilization, max_change: 3 %}");
  const TimedRuns base = runs_of({80, 80.1, 79.9, 80.2, 79.8});
  const TimedRuns lower = runs_of({70, 70.1, 69.9, 70.2, 69.8});
  const Verdict fallen = judged(rule, lower, base);
  EXPECT_EQ(fallen.outcome, Outcome::fail);
  EXPECT_NEAR(*fallen.base, 80, 1e-9);
  EXPECT_NEAR(*fallen.changed, 70, 1e-9);
  EXPECT_LT(fallen.interval->low, 70.0 / 80);
  EXPECT_GT(fallen.interval->high, 70.0 / 80);
  EXPECT_EQ(judged(rule, base, lower).reason, "timed_better");
  EXPECT_EQ(judged(rule, runs_of({79, 79.1, 78.9, 79.2, 78.8}), base).reason, "timed_same");
}

/// One comparison of `kernels` kernels, the first of which is `change` times as slow.
std::vector<Verdict> compared(const BudgetRule& rule, size_t kernels, size_t runs, double change,
                              const NoiseModel& noise, Random& random) {
  std::vector<Subject> subjects(kernels);
  for (size_t k = 0; k < kernels; ++k) {
    SimulatedSides sides = simulate_sides(noise, runs, k == 0 ? change : 1, random);
    subjects[k] = {.rule = &rule,
                   .name = std::to_string(k),
                   .changed = std::move(sides.changed),
                   .base = std::move(sides.base),
                   .noise_floor = {}};
  }
  return judge(subjects, {});
}

TEST(Judge, false_alarms_over_forty_kernels_stay_below_one_percent) {
  const BudgetRule rule = rule_of("{metric: kernel_time, max_change: 0 %}");
  for (const auto& [runs, rounds] : {std::pair<size_t, int>{5, 400}, {10, 100}}) {
    Random random(21);
    int alarms = 0;
    for (int round = 0; round < rounds; ++round) {
      const auto verdicts = compared(rule, 40, runs, 1, {.between_runs = 0.03}, random);
      alarms += std::ranges::count(verdicts, Outcome::fail, &Verdict::outcome) > 0 ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(alarms) / rounds, 0.01) << runs;
  }
}

TEST(Judge, finds_five_percent_in_one_of_two_hundred_kernels) {
  const BudgetRule rule = rule_of("{metric: kernel_time, max_change: 0 %}");
  Random random(22);
  constexpr int kRounds = 10;
  int found = 0;
  for (int round = 0; round < kRounds; ++round) {
    found += compared(rule, 200, 10, 1.05, {}, random)[0].outcome == Outcome::fail ? 1 : 0;
  }
  EXPECT_EQ(found, kRounds);
}

TEST(Judge, equal_programs_pass_within_an_allowed_change_above_the_noise) {
  const BudgetRule rule = rule_of(kStep);
  Random random(23);
  constexpr int kRounds = 200;
  int passed = 0;
  for (int round = 0; round < kRounds; ++round) {
    passed += compared(rule, 1, 10, 1, {}, random)[0].outcome == Outcome::pass ? 1 : 0;
  }
  EXPECT_GE(passed, 195);
}

TEST(Judge, what_is_worse_than_allowed_seldom_passes) {
  const BudgetRule rule = rule_of(kStep);
  Random random(24);
  constexpr int kRounds = 1000;
  int passed = 0;
  for (int round = 0; round < kRounds; ++round) {
    passed += compared(rule, 1, 6, 1.031, {}, random)[0].outcome == Outcome::pass ? 1 : 0;
  }
  EXPECT_LE(static_cast<double>(passed) / kRounds, 0.065);
}

Verdict made(const BudgetRule& rule, Outcome outcome) { return {.rule = &rule, .subject = "", .outcome = outcome}; }

TEST(Combine, the_worst_that_counts_decides) {
  const BudgetRule error = rule_of(kStep);
  const BudgetRule warning = rule_of("{metric: step_time, max_change: 3 %, severity: warning}");
  const auto combined = [](std::initializer_list<Verdict> verdicts) {
    const CombinedVerdict result = combine(std::vector(verdicts));
    EXPECT_FALSE(sentence(result.reason, result.arguments).empty());
    return result;
  };
  const Verdict pass = made(error, Outcome::pass);
  const Verdict open = made(error, Outcome::inconclusive);
  const Verdict none = made(error, Outcome::not_comparable);
  const Verdict bad = made(error, Outcome::fail);
  EXPECT_EQ(combined({}).outcome, Outcome::not_comparable);
  EXPECT_EQ(combined({pass, pass}).outcome, Outcome::pass);
  EXPECT_EQ(combined({pass, open}).outcome, Outcome::inconclusive);
  EXPECT_EQ(combined({open, none, pass}).outcome, Outcome::not_comparable);
  EXPECT_EQ(combined({open, none, bad, pass}).outcome, Outcome::fail);
  for (const Outcome outcome : {Outcome::fail, Outcome::inconclusive, Outcome::not_comparable}) {
    EXPECT_EQ(combined({pass, made(warning, outcome)}).outcome, Outcome::pass);
    EXPECT_EQ(combined({pass, made(warning, outcome)}).reason, "some_warn");
  }
  EXPECT_EQ(sentence("some_fail", combined({bad, pass, bad}).arguments), "2 of 3 checks failed.");
}

TEST(Outcome, has_its_own_exit_code) {
  EXPECT_EQ(exit_code(Outcome::pass), 0);
  EXPECT_EQ(exit_code(Outcome::fail), 1);
  EXPECT_EQ(exit_code(Outcome::inconclusive), 3);
  EXPECT_EQ(exit_code(Outcome::not_comparable), 4);
  EXPECT_EQ(kUsageExit, 2);
  EXPECT_EQ(kErrorExit, 5);
  EXPECT_EQ(outcome_name(Outcome::not_comparable), "not_comparable");
}

}  // namespace gate_verdict_test
}  // namespace sonde::gate
