#include "gate/decide/decision.h"

#include <algorithm>
#include <array>
#include <memory>

#include <gtest/gtest.h>

#include "gate/decide/clock.h"
#include "gate/decide/pools.h"
#include "gate/decide/sequential.h"
#include "gate/gate_records.h"

namespace sonde::gate {
namespace gate_decide_test {

const DecideOptions kUsual = {};

std::vector<std::string> names_of(const std::vector<Subject>& subjects) {
  std::vector<std::string> names;
  for (const Subject& subject : subjects) names.push_back(subject.name);
  return names;
}

/// The only verdict of a rule.
Verdict verdict_of(const std::string& rule, const std::vector<RunRecord>& base, const std::vector<RunRecord>& changed,
                   const DecideOptions& options = kUsual) {
  static std::vector<std::unique_ptr<Budget>> kept;  // a verdict points to its rule
  kept.push_back(std::make_unique<Budget>(budget_of(rule)));
  const Decision decision = decide(*kept.back(), base, changed, options);
  EXPECT_EQ(decision.verdicts.size(), 1U) << rule;
  EXPECT_FALSE(reason_text(decision.verdicts.at(0).reason).empty()) << decision.verdicts.at(0).reason;
  return decision.verdicts.at(0);
}

/// The same program once more.
std::vector<RunRecord> made_again(std::vector<RunRecord> runs) {
  for (RunRecord& run : runs) ++run.wall_ns;
  return runs;
}

std::string argument(const Verdict& verdict, std::string_view name) {
  const auto found = std::ranges::find(verdict.arguments, name, &Argument::name);
  return found == verdict.arguments.end() ? "(absent)" : found->text;
}

bool noted(const Decision& decision, std::string_view words) {
  return std::ranges::any_of(decision.notes, [&](const std::string& note) { return note.contains(words); });
}

TEST(Decide, a_bound_needs_no_baseline_and_a_change_does) {
  EXPECT_EQ(verdict_of("step_time <= 1 ms", {}, kernel_runs({100})).outcome, Outcome::pass);
  EXPECT_EQ(verdict_of("step_time < 1 ms", {}, kernel_runs({100})).outcome, Outcome::fail);
  const Verdict missing = verdict_of("{metric: step_time, max_change: 3 %}", {}, kernel_runs({100}));
  EXPECT_EQ(missing.outcome, Outcome::not_comparable);
  EXPECT_EQ(missing.reason, "no_baseline");
  const Verdict kernels = verdict_of("{metric: kernel_time, kernel: ., max_change: 3 %}", {}, kernel_runs({100}));
  EXPECT_EQ(kernels.reason, "no_baseline");
  EXPECT_EQ(decide(budget_of("step_time <= 1 ms"), {}, {}, kUsual).combined.outcome, Outcome::not_comparable);
}

TEST(Decide, what_was_not_recorded_never_passes) {
  std::vector<RunRecord> runs = kernel_runs({100});
  EXPECT_EQ(verdict_of("peak_memory <= 1 GB", {}, runs).reason, "absent");
  EXPECT_EQ(verdict_of("launches_per_step <= 100", {}, runs).reason, "absent");
  EXPECT_EQ(verdict_of("{metric: launches_per_step}", runs, made_again(runs)).reason, "absent");
}

TEST(Decide, what_would_measure_it_is_said) {
  RunRecord report;
  report.measures.emplace_back().kernel = "gemm";
  EXPECT_EQ(verdict_of("sm_throughput >= 50 %", {}, {report}).reason, "no_counter");
  EXPECT_EQ(argument(verdict_of("dram_bytes <= 1 GB", {}, {report}), "counters"), "dram__bytes.sum");
  EXPECT_EQ(verdict_of("sm_throughput >= 50 %", {}, kernel_runs({100})).reason, "no_report");
  EXPECT_EQ(verdict_of("step_time_p95 <= 1 ms", {}, kernel_runs({100})).reason, "too_few_steps");
  EXPECT_EQ(verdict_of("step_time_p95 <= 1 ms", {}, {report}).reason, "absent") << "longer runs do not help";
  EXPECT_EQ(verdict_of("cpu_time <= 1 s", {}, kernel_runs({100})).reason, "no_cpu_time");
  EXPECT_EQ(verdict_of("instructions <= 1000", {}, kernel_runs({100})).reason, "no_cpu_counts");
}

RunRecord with_range(RunRecord run, std::string name, double p50_ns) {
  run.ranges.push_back({.name = std::move(name), .count = 1, .p50_ns = p50_ns, .p95_ns = 0, .p99_ns = 0});
  return run;
}

TEST(Subjects, each_range_of_a_selector) {
  const RunRecord run = with_range(with_range(record_with({}), "request #", 5e6), "decode", 1e6);
  EXPECT_EQ(verdict_of("{check: range_latency_p50 <= 5 ms, range: ^req}", {}, {run}).outcome, Outcome::pass);
  EXPECT_EQ(verdict_of("{check: range_latency_p50 < 5 ms, range: ^req}", {}, {run}).outcome, Outcome::fail);
  EXPECT_EQ(verdict_of("{check: range_latency_p50 < 5 ms, range: reqest}", {}, {run}).reason, "no_range");
  EXPECT_EQ(verdict_of("{check: range_latency_p95 < 5 ms, range: ^req}", {}, {run}).reason, "too_few_ranges");
  EXPECT_EQ(names_of(subjects_of(budget_of("{check: range_latency_p50 <= 5 ms, range: .}"), {}, std::array{run})),
            (std::vector<std::string>{"range decode", "range request #"}));
  const RunRecord other = with_range(record_with({}), "decode", 1e6);
  EXPECT_EQ(verdict_of("{metric: range_latency_p50, range: ^req, max_change: 3 %}", {run}, {other}).reason,
            "no_range_now");
}

TEST(Decide, a_run_that_was_given_twice_decides_nothing) {
  const std::string timed = "{metric: kernel_time, max_change: 3 %}";
  const std::vector<RunRecord> base = kernel_runs({100, 101, 102, 103, 104});
  std::vector<RunRecord> changed = kernel_runs({200, 201, 202, 203, 204});
  EXPECT_EQ(verdict_of(timed, base, changed).outcome, Outcome::fail);
  changed[4] = changed[1];
  changed[4].source = "copy.sqlite";
  EXPECT_EQ(verdict_of(timed, base, changed).reason, "same_run_twice");
  EXPECT_EQ(argument(verdict_of(timed, base, changed), "second"), "copy.sqlite");
  EXPECT_EQ(verdict_of("{metric: kernels_per_step}", base, changed).outcome, Outcome::pass) << "one run is enough";
  EXPECT_EQ(verdict_of("kernel_time <= 1 s", base, changed).outcome, Outcome::pass) << "a bound is no comparison";
}

TEST(Decide, a_run_held_against_itself_does_not_pass) {
  const std::vector<RunRecord> runs = kernel_runs({100, 101, 102, 103, 104});
  EXPECT_EQ(verdict_of("{metric: kernel_time, max_change: 3 %}", runs, runs).reason, "same_run_on_both_sides");
  EXPECT_EQ(verdict_of("{metric: kernels_per_step}", runs, runs).outcome, Outcome::not_comparable);
  EXPECT_EQ(verdict_of("kernels_per_step <= 9", runs, runs).outcome, Outcome::pass);
}

TEST(Decide, a_program_that_ran_no_kernel_is_not_faster) {
  const std::vector<RunRecord> base = kernel_runs({100});
  for (const std::vector<WorkGroup>& work : {std::vector<WorkGroup>(), {copy_group(64, false)}}) {
    const std::vector<RunRecord> failed = {record_with(work)};
    for (const std::string rule : {"{metric: kernel_time, max_change: 3 %}", "{metric: kernels_per_step}",
                                   "kernel_time <= 200 ms", "kernels_per_step <= 9"}) {
      EXPECT_EQ(verdict_of(rule, base, failed).reason, "absent") << rule;
    }
  }
  std::vector<RunRecord> idle = {record_with({})};
  idle[0].gpus[0].busy_ns = 0;
  idle[0].gpus[0].step_busy_ns.assign(kRecordSteps, 0);
  EXPECT_EQ(verdict_of("{metric: gpu_busy_time, max_change: 3 %}", base, idle).reason, "absent");
}

TEST(Subjects, a_kernel_that_was_renamed_is_not_one_that_is_gone) {
  const std::vector<RunRecord> base = {record_with({kernel_group("flash", 9000), kernel_group("gemm", 9000)})};
  const std::vector<RunRecord> changed = {record_with({kernel_group("flush", 9900), kernel_group("gemm", 9000)})};
  for (const std::string rule :
       {"{metric: kernel_time, kernel: flash, max_change: 3 %}", "{metric: kernels_per_step, kernel: flash}"}) {
    EXPECT_EQ(verdict_of(rule, base, changed).reason, "no_kernel_now") << rule;
    EXPECT_EQ(argument(verdict_of(rule, base, changed), "names"), "flash");
  }
}

TEST(Decide, an_extra_warm_up_step_makes_no_difference_of_exact_figures) {
  std::vector<RunRecord> base = kernel_runs({100});
  std::vector<RunRecord> changed = made_again(base);
  changed[0].step_ns.insert(changed[0].step_ns.begin(), 5'000'000);
  changed[0].work[0].step_count.insert(changed[0].work[0].step_count.begin(), 40);
  EXPECT_EQ(verdict_of("{metric: kernels_per_step}", base, changed).reason, "exact_same");
  changed[0].work[0].step_count.back() = 2;
  EXPECT_EQ(verdict_of("{metric: kernels_per_step}", base, changed).outcome, Outcome::fail);
}

TEST(Decide, steps_and_whole_runs_are_not_mixed) {
  std::vector<RunRecord> changed = kernel_runs({100, 101});
  const std::vector<RunRecord> base = made_again(changed);
  changed[1].step_ns.clear();
  EXPECT_EQ(verdict_of("{metric: kernels_per_step}", base, changed).reason, "mixed_steps");
  EXPECT_EQ(verdict_of("kernels_per_step <= 100", base, changed).reason, "mixed_steps");
  EXPECT_EQ(verdict_of("wall_time <= 1 s", base, changed).outcome, Outcome::pass);
}

TEST(Decide, a_driver_that_differs_forbids_times_and_not_counts) {
  const std::vector<RunRecord> base = kernel_runs({100});
  std::vector<RunRecord> changed = made_again(base);
  changed[0].conditions["driver"] = "560";
  const Verdict timed = verdict_of("{metric: step_time, max_change: 3 %}", base, changed);
  EXPECT_EQ(timed.outcome, Outcome::not_comparable);
  EXPECT_EQ(timed.reason, "condition_differs");
  EXPECT_EQ(argument(timed, "condition"), "driver");
  EXPECT_EQ(argument(timed, "base"), "550");
  EXPECT_EQ(argument(timed, "changed"), "560");
  EXPECT_EQ(verdict_of("{metric: kernels_per_step}", base, changed).outcome, Outcome::pass);
  EXPECT_EQ(verdict_of("step_time <= 1 s", base, changed).outcome, Outcome::pass) << "a bound looks at one side";
  DecideOptions allowed;
  allowed.allowed_conditions = {"driver"};
  EXPECT_NE(verdict_of("{metric: step_time, max_change: 3 %}", base, changed, allowed).reason, "condition_differs");
}

TEST(Decide, another_tool_forbids_everything_against_the_baseline) {
  const std::vector<RunRecord> base = kernel_runs({100});
  std::vector<RunRecord> changed = made_again(base);
  changed[0].conditions["tool"] = "PyTorch";
  EXPECT_EQ(verdict_of("{metric: kernels_per_step}", base, changed).reason, "condition_differs");
}

TEST(Decide, a_side_that_is_not_the_same_in_itself_is_not_comparable) {
  std::vector<RunRecord> changed = kernel_runs({100, 100});
  changed[1].conditions["gpu"] = "A100";
  EXPECT_EQ(verdict_of("kernels_per_step <= 100", {}, changed).reason, "condition_varies");
  EXPECT_EQ(verdict_of("{metric: kernels_per_step}", changed, changed).reason, "condition_varies");
  EXPECT_EQ(verdict_of("kernels_per_step <= 100", changed, kernel_runs({100})).outcome, Outcome::pass);
}

TEST(Decide, what_one_side_does_not_know_is_said_and_a_host_forbids_nothing) {
  std::vector<RunRecord> base = kernel_runs({100});
  std::vector<RunRecord> changed = made_again(base);
  base[0].conditions.erase("driver");
  base[0].conditions["host"] = "a";
  changed[0].conditions["host"] = "b";
  const Budget budget = budget_of("{metric: kernels_per_step}");
  const Decision decision = decide(budget, base, changed, kUsual);
  EXPECT_EQ(decision.combined.outcome, Outcome::pass);
  EXPECT_TRUE(noted(decision, "driver"));
  ASSERT_EQ(decision.conditions.size(), 1U);
  EXPECT_EQ(decision.conditions[0].condition->name, "host");
  EXPECT_TRUE(decision.difference.has_value());
}

TEST(Decide, there_is_no_difference_of_what_may_not_be_compared) {
  const std::vector<RunRecord> base = kernel_runs({100});
  std::vector<RunRecord> changed = made_again(base);
  changed[0].conditions["gpu"] = "A100";
  EXPECT_FALSE(decide(budget_of("step_time <= 1 s"), base, changed, kUsual).difference.has_value());
  EXPECT_FALSE(decide(budget_of("step_time <= 1 s"), {}, changed, kUsual).difference.has_value());
}

TEST(Pools, small_ones_and_those_of_one_side_are_judged_together) {
  const Pools pools = pools_of({{"big", 900}, {"s1", 5}, {"s2", 6}, {"old", 80}, {"grows", 5}},
                               {{"big", 950}, {"s1", 5}, {"s2", 5}, {"new", 70}, {"grows", 50}}, 1000);
  EXPECT_EQ(pools.single, Names({"big", "grows"}));
  EXPECT_EQ(pools.small, Names({"s1", "s2"}));
  EXPECT_EQ(pools.base_only, Names({"old"}));
  EXPECT_EQ(pools.changed_only, Names({"new"}));
}

TEST(Pools, small_ones_of_one_side_count_with_the_small_and_one_alone_by_itself) {
  const Pools pools = pools_of({{"big", 990}, {"s1", 5}}, {{"big", 990}, {"s1", 5}, {"new", 3}}, 1000);
  EXPECT_EQ(pools.small, Names({"s1", "new"}));
  EXPECT_TRUE(pools.changed_only.empty());
  EXPECT_EQ(pools_of({{"big", 990}, {"s1", 5}}, {{"big", 990}, {"s1", 5}}, 1000).single, Names({"big", "s1"}));
  EXPECT_EQ(pools_of({{"big", 990}}, {{"big", 990}, {"new", 3}}, 1000).changed_only, Names({"new"}));
}

TEST(Subjects, each_kernel_of_a_selector_and_the_pools) {
  const Budget budget = budget_of("{metric: kernel_time, kernel: ., max_change: 3 %}");
  const std::vector<RunRecord> base = {record_with(
      {kernel_group("big", 90000), kernel_group("s1", 50), kernel_group("s2", 60), kernel_group("old", 8000)})};
  const std::vector<RunRecord> changed = {record_with(
      {kernel_group("big", 90000), kernel_group("s1", 50), kernel_group("s2", 60), kernel_group("new", 7000)})};
  const std::vector<Subject> subjects = subjects_of(budget, base, changed);
  EXPECT_EQ(names_of(subjects), std::vector<std::string>({"big", "2 small kernels", "kernels on one side only"}));
  EXPECT_EQ(subjects[1].changed, TimedRuns({TimedRun(4, 110)}));
  EXPECT_EQ(subjects[2].base, TimedRuns({TimedRun(4, 8000)}));
  EXPECT_EQ(subjects[2].changed, TimedRuns({TimedRun(4, 7000)}));
}

TEST(Subjects, a_bound_on_kernels_is_of_each_that_fits) {
  const Budget budget = budget_of("{check: kernel_time <= 1 ms, kernel: '^s'}");
  const std::vector<RunRecord> runs = {
      record_with({kernel_group("big", 90000), kernel_group("s1", 50), kernel_group("s2", 60)})};
  EXPECT_EQ(names_of(subjects_of(budget, {}, runs)), std::vector<std::string>({"s1", "s2"}));
}

TEST(Subjects, modules_by_themselves) {
  const Budget budget = budget_of("{metric: module_time, max_change: 3 %}");
  const std::vector<RunRecord> runs = {
      record_with({kernel_group("a", 500, 1, "model/a"), kernel_group("b", 400, 1, "model/b"),
                   kernel_group("c", 1, 1, "model/c"), kernel_group("d", 2, 1, "model/d"), kernel_group("e", 50)})};
  EXPECT_EQ(names_of(subjects_of(budget, runs, runs)),
            std::vector<std::string>({"module model/a", "module model/b", "2 small modules"}));
}

TEST(Subjects, registers_are_compared_of_kernels_that_both_sides_have) {
  const auto with_shapes = [](std::initializer_list<std::string> kernels) {
    RunRecord run = record_with({});
    for (const std::string& kernel : kernels) {
      KernelShape shape;
      shape.kernel = kernel;
      shape.registers_per_thread = 64;
      run.shapes.push_back(shape);
    }
    return std::vector<RunRecord>{run};
  };
  const Budget budget = budget_of("{metric: registers_per_thread}");
  const Decision decision = decide(budget, with_shapes({"a", "old"}), with_shapes({"a", "new"}), kUsual);
  ASSERT_EQ(decision.verdicts.size(), 1U);
  EXPECT_EQ(decision.verdicts[0].subject, "a");
  EXPECT_EQ(decision.combined.outcome, Outcome::pass);
  EXPECT_TRUE(noted(decision, "old") && noted(decision, "new"));
  EXPECT_EQ(verdict_of("{metric: registers_per_thread}", with_shapes({"old"}), with_shapes({"new"})).reason,
            "no_kernels");
}

TEST(Subjects, a_selector_that_fits_nothing_is_not_comparable) {
  const std::vector<RunRecord> runs = {record_with({kernel_group("a", 1, 1, "model/encoder/attention")})};
  EXPECT_EQ(verdict_of("{check: kernels_per_step <= 9, kernel: flash}", {}, runs).reason, "no_kernel");
  EXPECT_EQ(verdict_of("{metric: kernel_time, kernel: flash, max_change: 3 %}", runs, runs).reason, "no_kernel");
  EXPECT_EQ(verdict_of("{check: kernels_per_step <= 9, gpu: 3}", {}, runs).reason, "no_gpu");
  EXPECT_EQ(verdict_of("{check: kernels_per_step <= 9, module: optimizer}", {}, runs).reason, "no_module");
  const Verdict near = verdict_of("{check: kernels_per_step <= 9, module: attention}", {}, runs);
  EXPECT_EQ(near.reason, "no_module_near");
  EXPECT_EQ(argument(near, "nearest"), "model/encoder/attention");
}

TEST(Subjects, no_such_kernel_is_what_a_bound_of_none_asks_for) {
  const std::vector<RunRecord> runs = kernel_runs({100});
  EXPECT_EQ(verdict_of("{check: kernels_per_step == 0, kernel: flash}", {}, runs).outcome, Outcome::pass);
  EXPECT_EQ(verdict_of("{check: kernels_per_step == 0, kernel: gemm}", {}, runs).outcome, Outcome::fail);
}

TEST(Decide, kernels_that_were_added_fail_where_none_was_removed) {
  const std::vector<RunRecord> base = {record_with({kernel_group("a", 9000), kernel_group("b", 9000)})};
  std::vector<RunRecord> changed = made_again(base);
  changed[0].work.push_back(kernel_group("new", 900));
  const Budget budget = budget_of("{metric: kernel_time, kernel: ., max_change: 3 %}");
  const Decision decision = decide(budget, base, changed, kUsual);
  const Verdict& added = decision.verdicts.back();
  EXPECT_EQ(added.subject, "kernels on one side only");
  EXPECT_EQ(added.reason, "time_added");
  EXPECT_EQ(added.outcome, Outcome::fail);
  EXPECT_EQ(added.changed, 900);
  const Decision back = decide(budget, changed, base, kUsual);
  EXPECT_EQ(back.verdicts.back().reason, "time_removed");
  EXPECT_EQ(back.verdicts.back().outcome, Outcome::pass);
  const Budget floor = budget_of("{metric: kernel_time, kernel: ., max_change: 3 %, floor: 1 us}");
  EXPECT_EQ(decide(floor, base, changed, kUsual).verdicts.back().reason, "time_added_allowed");
  changed.push_back(made_again(made_again(base))[0]);
  const Decision some = decide(budget, base, changed, kUsual);
  EXPECT_EQ(some.verdicts.back().reason, "time_added_in_some");
  EXPECT_EQ(some.verdicts.back().outcome, Outcome::inconclusive);
}

std::vector<RunRecord> at_clock(std::vector<RunRecord> runs, std::initializer_list<double> clocks) {
  size_t i = 0;
  for (const double clock : clocks) runs[i++].gpus[0].sm_clock_hz = clock;
  return runs;
}

TEST(Clock, worse_in_time_and_not_in_cycles_is_open) {
  const auto base = at_clock(kernel_runs({1000, 1001, 1002, 1003, 1004, 1005}), {2e9, 2e9, 2e9, 2e9, 2e9, 2e9});
  const auto slower = kernel_runs({1250, 1251, 1252, 1253, 1254, 1255});
  const std::string rule = "{metric: kernel_time, max_change: 5 %}";
  EXPECT_EQ(verdict_of(rule, base, slower).reason, "timed_worse") << "without clocks";
  const Verdict same_clock = verdict_of(rule, base, at_clock(slower, {2e9, 2e9, 2e9, 2e9, 2e9, 2e9}));
  EXPECT_EQ(same_clock.outcome, Outcome::fail);
  const Verdict lower = verdict_of(rule, base, at_clock(slower, {1.6e9, 1.6e9, 1.6e9, 1.6e9, 1.6e9, 1.6e9}));
  EXPECT_EQ(lower.outcome, Outcome::inconclusive);
  EXPECT_EQ(lower.reason, "clock_not_code");
  const auto clock = std::ranges::find(lower.arguments, "clock", &Argument::name);
  ASSERT_NE(clock, lower.arguments.end());
  EXPECT_EQ(clock->number, 1600);
}

TEST(Clock, of_a_run_without_the_clock_of_each_gpu_it_is_not_known) {
  RunRecord run = record_with({});
  EXPECT_FALSE(clock_of(run, {}).has_value());
  run.gpus[0].sm_clock_hz = 1e9;
  EXPECT_EQ(clock_of(run, {}), 1e9);
  run.gpus.push_back(run.gpus[0]);
  run.gpus[1].ordinal = 1;
  run.gpus[1].sm_clock_hz = 2e9;
  EXPECT_EQ(clock_of(run, {}), 1.5e9);
  EXPECT_EQ(clock_of(run, {.gpu = 1}), 2e9);
  run.gpus[1].sm_clock_hz.reset();
  EXPECT_FALSE(clock_of(run, {}).has_value());
}

TEST(Floors, hold_back_a_change_that_equal_runs_show_and_only_of_this_machine) {
  const auto base = kernel_runs({1000, 1001, 1002, 1003, 1004, 1005});
  const auto changed = kernel_runs({1060, 1061, 1062, 1063, 1064, 1065});
  const std::string rule = "{metric: kernel_time, max_change: 1 %}";
  CalibratedFloors floors;
  floors.conditions = {{"gpu", "H100"}, {"driver", "550"}};
  floors.centres[{"kernel_time", "the run"}] = {900, 1100, 950, 1150, 850, 1000, 1200, 900, 1050, 1150, 880, 1010};
  EXPECT_EQ(verdict_of(rule, base, changed).outcome, Outcome::fail);
  DecideOptions options;
  options.floors = &floors;
  EXPECT_EQ(verdict_of(rule, base, changed, options).reason, "timed_in_noise");
  floors.conditions["driver"] = "535";
  const Budget budget = budget_of(rule);
  const Decision other = decide(budget, base, changed, options);
  EXPECT_EQ(other.combined.outcome, Outcome::fail);
  EXPECT_TRUE(noted(other, "535"));
  EXPECT_TRUE(noted(decide(budget, base, changed, kUsual), "calibrate"));
}

TEST(Sequential, the_parts_add_up_and_early_looks_get_less_than_their_share) {
  const std::vector<int> runs = {5, 10, 20};
  double sum = 0;
  for (size_t look = 0; look < runs.size(); ++look) sum += rate_share(runs, look);
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_DOUBLE_EQ(rate_share(runs, 0), 1.0 / 16);
  EXPECT_DOUBLE_EQ(rate_share(std::vector<int>{7}, 0), 1);
  EXPECT_EQ(rate_share(runs, 3), 0);
}

TEST(Decide, a_look_spends_its_part_of_the_rate) {
  const auto base = kernel_runs({1000, 1001, 1002, 1003, 1004, 1005});
  const auto changed = kernel_runs({1250, 1251, 1252, 1253, 1254, 1255});
  const std::string rule = "{metric: kernel_time, max_change: 5 %}";
  EXPECT_EQ(verdict_of(rule, base, changed).outcome, Outcome::fail) << "1 / 924 is below 0.5 %";
  DecideOptions options;
  options.rate_share = 0.2;  // 0.1 %, below 1 / 924
  EXPECT_EQ(verdict_of(rule, base, changed, options).outcome, Outcome::inconclusive);
}

}  // namespace gate_decide_test
}  // namespace sonde::gate
