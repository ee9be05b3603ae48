#include "gate/budget.h"

#include <gtest/gtest.h>

#include "gate/amount.h"

namespace sonde::gate {
namespace gate_budget_test {

Amount amount(std::string_view text) {
  const auto parsed = parse_amount(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(Amount{.number = -1});
}

TEST(Amount, units_of_time_bytes_and_shares) {
  EXPECT_EQ(amount("200 ms").number, 200e6);
  EXPECT_EQ(amount("200ms").unit, Unit::nanoseconds);
  EXPECT_EQ(amount("1.5us").number, 1500);
  EXPECT_EQ(amount("7 \u00B5s").number, 7000);
  EXPECT_EQ(amount("7 \u03BCs").number, 7000);
  EXPECT_EQ(amount(" 3 ns ").number, 3);
  EXPECT_EQ(amount("2s").number, 2e9);
  EXPECT_EQ(amount("2 min").number, 120e9);
  EXPECT_EQ(amount("1 KB").number, 1000);
  EXPECT_EQ(amount("1 kB").number, 1000);
  EXPECT_EQ(amount("1 KiB").number, 1024);
  EXPECT_EQ(amount("64 MB").number, 64e6);
  EXPECT_EQ(amount("1.5 GiB").number, 1.5 * 1024 * 1024 * 1024);
  EXPECT_EQ(amount("2 GB").unit, Unit::bytes);
  EXPECT_EQ(amount("3 %").unit, Unit::percent);
  EXPECT_EQ(amount("12").unit, Unit::none);
  EXPECT_EQ(amount("1e3").number, 1000);
}

TEST(Amount, what_is_none) {
  for (const std::string_view text : {"", "ms", "-1 ms", "1 2", "1,000 ms", "nan", "inf s", "1 parsec", "0x10"}) {
    EXPECT_FALSE(parse_amount(text)) << text;
  }
  EXPECT_EQ(parse_amount("5 mb").error().message, "'mb' in '5 mb' is not a known unit, did you mean 'MB'?");
  EXPECT_EQ(parse_amount("5 MS").error().message, "'MS' in '5 MS' is not a known unit, did you mean 'ms'?");
}

/// The one mistake that the budget has.
std::string mistake(std::string_view yaml) {
  const BudgetReading reading = read_budget(yaml);
  EXPECT_EQ(reading.problems.size(), 1U) << yaml;
  return reading.problems.empty() ? "none" : problem_text("b", reading.problems[0]);
}

const BudgetRule& only_rule(const BudgetReading& reading) {
  for (const BudgetProblem& problem : reading.problems) ADD_FAILURE() << problem_text("b", problem);
  EXPECT_EQ(reading.budget.rules.size(), 1U);
  static const BudgetRule none;
  return reading.budget.rules.empty() ? none : reading.budget.rules[0];
}

TEST(Budget, the_rule_that_sites_have) {
  for (const std::string_view yaml :
       {"rules:\n  - avg_kernel_time <= 200 ms\n", "rules: [avg_kernel_time<=200ms]",
        "rules:\n  - check: avg_kernel_time  <=  200 ms\n", "rules: [{check: avg_kernel_time <= 0.2 s}]"}) {
    const BudgetReading reading = read_budget(yaml);
    const BudgetRule& rule = only_rule(reading);
    ASSERT_NE(rule.metric, nullptr);
    EXPECT_EQ(rule.metric->name, "avg_kernel_time");
    const auto& bound = std::get<FixedBound>(rule.demand);
    EXPECT_EQ(bound.comparison, Comparison::at_most);
    EXPECT_DOUBLE_EQ(bound.bound, 200e6);
    EXPECT_EQ(rule.severity, Severity::error);
  }
}

TEST(Budget, every_comparison) {
  const auto comparison = [](const std::string& sign) {
    const BudgetReading reading = read_budget("rules: ['kernels_per_step " + sign + " 7']");
    return std::get<FixedBound>(only_rule(reading).demand).comparison;
  };
  EXPECT_EQ(comparison("<="), Comparison::at_most);
  EXPECT_EQ(comparison("<"), Comparison::below);
  EXPECT_EQ(comparison(">="), Comparison::at_least);
  EXPECT_EQ(comparison(">"), Comparison::above);
  EXPECT_EQ(comparison("=="), Comparison::equal);
}

TEST(Budget, against_the_baseline_with_selector_and_severity) {
  const BudgetReading reading = read_budget(
      "version: 1\n"
      "false_alarm_rate: 1 %\n"
      "rules:\n"
      "  - name: attention\n"
      "    metric: kernel_time\n"
      "    kernel: flash_.*\n"
      "    module: model/layers.0\n"
      "    gpu: 1\n"
      "    max_change: 3 %\n"
      "    floor: 20 us\n"
      "    severity: warning\n");
  const BudgetRule& rule = only_rule(reading);
  EXPECT_EQ(rule.name, "attention");
  EXPECT_EQ(rule.line, 4);
  EXPECT_EQ(rule.selector.kernel, "flash_.*");
  EXPECT_EQ(rule.selector.module, "model/layers.0");
  EXPECT_EQ(rule.selector.gpu, 1);
  EXPECT_EQ(rule.severity, Severity::warning);
  const auto& change = std::get<AllowedChange>(rule.demand);
  EXPECT_DOUBLE_EQ(change.share, 0.03);
  EXPECT_DOUBLE_EQ(change.amount, 20e3);
  EXPECT_DOUBLE_EQ(reading.budget.false_alarm_rate, 0.01);
}

TEST(Budget, an_exact_metric_may_not_become_worse_unless_the_rule_allows_it) {
  const BudgetReading strict = read_budget("rules: [{metric: launches_per_step}]");
  EXPECT_EQ(std::get<AllowedChange>(only_rule(strict).demand).amount, 0);
  const BudgetReading lenient = read_budget("rules: [{metric: copied_bytes_per_step, max_change: 2 MB}]");
  EXPECT_EQ(std::get<AllowedChange>(only_rule(lenient).demand).amount, 2e6);
  EXPECT_EQ(std::get<AllowedChange>(only_rule(lenient).demand).share, 0);
}

TEST(Budget, mistakes_are_reported_at_their_place_and_name_the_nearest_word) {
  EXPECT_EQ(mistake("rules:\n  - check: avg_kernel_tme <= 200 ms\n"),
            "b:2:12: unknown metric 'avg_kernel_tme', did you mean 'avg_kernel_time'?");
  EXPECT_EQ(mistake("rules:\n  - metric: step_time\n    max_change: 3 %\n    severty: error\n"),
            "b:4:5: unknown key 'severty', did you mean 'severity'?");
  EXPECT_EQ(mistake("rule:\n  - step_time <= 1 s\nrules: [step_time < 1 s]\n"),
            "b:1:1: unknown key 'rule', did you mean 'rules'?");
  EXPECT_EQ(mistake("rules:\n  - step_time <= 1 s\nx_owner: me\n"),
            "b:3:1: unknown key 'x_owner': known are version, false_alarm_rate, rules");
  EXPECT_EQ(mistake("rules:\n- metric: step_time\n  max_change: 3 %\n  severity: warn\n"),
            "b:4:13: unknown severity 'warn': known are error, warning");
  EXPECT_EQ(mistake("rules:\n- step_time <= 200 MB\n"), "b:2:3: step_time needs a time such as 200 ms");
  EXPECT_EQ(mistake("rules:\n- step_time <= 200\n"), "b:2:3: step_time needs a time such as 200 ms");
  EXPECT_EQ(mistake("rules:\n- step_time <= fast\n"),
            "b:2:3: ' fast' is not an amount; write a number with its unit, such as 200 ms, 64 MB, 3 % or 12");
}

TEST(Budget, latencies_are_of_ranges_that_a_rule_names) {
  const BudgetReading reading = read_budget("rules: [{check: range_latency_p95 <= 20 ms, range: ^request}]");
  EXPECT_EQ(only_rule(reading).selector.range, "^request");
  EXPECT_EQ(mistake("rules:\n- range_latency_p95 <= 20 ms\n"),
            "b:2:3: range_latency_p95 needs 'range', a regular expression found in the names of the ranges, such as "
            "'range: ^request'");
  EXPECT_EQ(mistake("rules:\n- check: step_time_p95 <= 20 ms\n  range: request\n"),
            "b:3:10: step_time_p95 cannot be selected by range");
  EXPECT_EQ(mistake("rules:\n- check: range_latency_p50 <= 20 ms\n  range: '('\n").substr(0, 46),
            "b:3:10: '(' is not a valid regular expression:");
}

TEST(Budget, mistakes_of_a_rule) {
  EXPECT_EQ(
      mistake("rules:\n- step_time\n"),
      "b:2:3: 'step_time' is not a check; write METRIC <= AMOUNT (or <, >=, >, ==), such as avg_kernel_time <= 200 ms");
  EXPECT_EQ(mistake("rules:\n- metric: step_time\n"),
            "b:2:3: step_time varies between runs of the same program; set how much worse it may become, such as "
            "'max_change: 3 %'");
  EXPECT_EQ(mistake("rules:\n- kernel: x\n"),
            "b:2:3: the rule has neither 'check' (a fixed bound) nor 'metric' (against the baseline)");
  EXPECT_EQ(mistake("rules:\n- {check: step_time < 1 s, metric: step_time}\n"),
            "b:2:36: a rule has 'check' (a fixed bound) or 'metric' (against the baseline), not both");
  EXPECT_EQ(mistake("rules:\n- check: step_time < 1 s\n  floor: 1 us\n"),
            "b:3:10: 'floor' belongs to a rule against the baseline ('metric'), not to a 'check'");
  EXPECT_EQ(mistake("rules:\n- check: step_time < 1 s\n  kernel: gemm\n"),
            "b:3:11: step_time cannot be selected by kernel");
  EXPECT_EQ(mistake("rules:\n- check: kernel_time < 1 s\n  gpu: one\n"),
            "b:3:8: 'one' is not a GPU index; write an integer such as 0");
  EXPECT_EQ(mistake("rules:\n- metric: theoretical_occupancy\n  max_change: 100 %\n"),
            "b:3:15: theoretical_occupancy cannot fall by 100 %");
  EXPECT_EQ(mistake("rules:\n- metric: step_time\n  max_change: 3 %\n  max_change: 4 %\n"),
            "b:4:3: duplicate key 'max_change'");
  EXPECT_EQ(mistake("rules:\n- step_time < 1 s\n---\nrules:\n- step_time < 1 ms\n"),
            "b:3:1: a second YAML document begins here (---); a budget is one document with all rules in one list");
  // A table instead of a budget: yaml-cpp finds documents without end in it.
  EXPECT_EQ(mistake("\"ID\",\"Name\"\n\"0\",\"sum\"\n"), "b:1:1: a budget begins with 'version: 1' and 'rules:'");
  EXPECT_EQ(mistake("rules:\n- name: a\n  check: step_time < 1 s\n- name: a\n  check: step_time < 2 s\n"),
            "b:4:9: two rules have the name 'a'");
  EXPECT_TRUE(mistake("rules:\n- check: kernel_time < 1 s\n  kernel: '(gemm'\n")
                  .starts_with("b:3:11: '(gemm' is not a valid regular expression: "));
  EXPECT_TRUE(mistake("rules:\n- [a, b]\n").starts_with("b:2:3: a rule must be a string such as"));
  EXPECT_EQ(mistake("rules:\n- check: step_time < 1 s\n  name:\n"), "b:2:3: 'name' has no value");
}

TEST(Budget, mistakes_of_a_file) {
  EXPECT_EQ(mistake(""), "b:1:1: a budget begins with 'version: 1' and 'rules:'");
  EXPECT_EQ(mistake("- a\n- b\n"), "b:1:1: a budget begins with 'version: 1' and 'rules:'");
  for (const std::string_view none : {"version: 1\n", "version: 1\nrules:\n", "rules: []\n", "rules: 7\n"}) {
    EXPECT_NE(mistake(none).find("'rules' must be a list with at least one rule"), std::string::npos) << none;
  }
  EXPECT_EQ(mistake("version: 2\nrules: [step_time < 1 s]\n"),
            "b:1:10: unknown version 2; this program reads version 1");
  EXPECT_TRUE(mistake("rules:\n  - step_time <= 1 s\n - x\n").starts_with("b:3:2: not valid YAML: "));
  EXPECT_TRUE(mistake("rules: [step_time < 1 s]\nfalse_alarm_rate: 5 ms\n")
                  .starts_with("b:2:19: '5 ms' is not a valid false positive rate"));
  EXPECT_TRUE(mistake(std::string(20'000, '[')).find("not valid YAML") != std::string::npos);
}

TEST(Budget, all_mistakes_are_reported_in_the_order_of_the_file_and_no_wrong_rule_is_kept) {
  const BudgetReading reading = read_budget(
      "rules:\n"
      "- step_time <= 1 parsec\n"
      "- step_time <= 1 s\n"
      "- metric: launches\n"
      "  sevrity: error\n");
  ASSERT_EQ(reading.problems.size(), 3U);
  EXPECT_EQ(reading.problems[0].line, 2);
  EXPECT_EQ(reading.problems[1].line, 4);
  EXPECT_EQ(reading.problems[2].line, 5);
  EXPECT_EQ(reading.budget.rules.size(), 1U);
}

TEST(GateMetrics, names_are_found_and_units_can_be_written) {
  EXPECT_EQ(find_metric("step_time")->kind, MetricKind::timed);
  EXPECT_EQ(find_metric("theoretical_occupancy")->better, Better::higher);
  EXPECT_EQ(find_metric("nothing"), nullptr);
  for (const Metric& metric : metrics()) {
    EXPECT_EQ(find_metric(metric.name), &metric);
    EXPECT_FALSE(metric.description.empty());
    EXPECT_TRUE(metric.unit == Unit::nanoseconds || metric.unit == Unit::bytes || metric.unit == Unit::percent ||
                metric.unit == Unit::none)
        << metric.name;
  }
}

}  // namespace gate_budget_test
}  // namespace sonde::gate
