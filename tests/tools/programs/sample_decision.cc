#include "sample_decision.h"

#include <utility>

#include <fmt/format.h>

namespace sonde::sample_decisions {
namespace {

using namespace gate;

constexpr ConditionInfo kDriver{.name = "driver", .title = "driver", .forbids = Forbids::timed};
constexpr ConditionInfo kHost{.name = "host", .title = "host", .forbids = Forbids::nothing};

Argument text(std::string name, std::string value) {
  return {.name = std::move(name), .unit = Unit::none, .number = 0, .text = std::move(value)};
}

Argument number(std::string name, double value, Unit unit = Unit::none) {
  return {.name = std::move(name), .unit = unit, .number = value, .text = {}};
}

BudgetRule bound_rule(std::string name, std::string_view metric, Comparison comparison, double bound, int line) {
  return {.name = std::move(name),
          .metric = find_metric(metric),
          .selector = {},
          .demand = FixedBound{.comparison = comparison, .bound = bound},
          .severity = Severity::error,
          .line = line};
}

BudgetRule change_rule(std::string name, std::string_view metric, double share, Severity severity, int line) {
  return {.name = std::move(name),
          .metric = find_metric(metric),
          .selector = {},
          .demand = AllowedChange{.share = share, .amount = 0},
          .severity = severity,
          .line = line};
}

Verdict verdict_of(const BudgetRule& rule, std::string subject, Outcome outcome, std::string_view reason,
                   std::vector<Argument> more) {
  Verdict verdict{.rule = &rule, .subject = subject, .outcome = outcome, .reason = reason};
  verdict.arguments = {text("metric", std::string(rule.metric->name)), text("subject", std::move(subject))};
  for (Argument& a : more) {
    if (a.name == "base") verdict.base = a.number;
    if (a.name == "value") verdict.changed = a.number;
    verdict.arguments.push_back(std::move(a));
  }
  return verdict;
}

constexpr Unit kNs = Unit::nanoseconds;
constexpr Unit kPercent = Unit::percent;

std::vector<Argument> timed(double base, double value, double allowed, double p) {
  return {number("base", base, kNs),
          number("value", value, kNs),
          number("change", 100 * (value / base - 1), kPercent),
          number("allowed", allowed, kPercent),
          number("p", p, kPercent),
          number("runs", 5),
          number("tests", 3),
          number("needed", 6),
          number("spread", 2, kPercent),
          number("decides", 24)};
}

void add_rules(std::vector<BudgetRule>& rules, const std::string& name) {
  rules = {
      bound_rule("avg_kernel_time <= 200 ms", "avg_kernel_time", Comparison::at_most, 200e6, 3),
      change_rule(name, "kernel_time", 0.03, Severity::error, 4),
      change_rule("step_time, at most 3 % worse", "step_time", 0.03, Severity::error, 8),
      change_rule("launches_per_step", "launches_per_step", 0, Severity::warning, 11),
      bound_rule("theoretical_occupancy >= 50 %", "theoretical_occupancy", Comparison::at_least, 50, 13),
      change_rule("peak_memory", "peak_memory", 0, Severity::error, 15),
      change_rule("copy_time", "copy_time", 0.1, Severity::warning, 17),
  };
  rules[1].selector.kernel = name;
  rules[6].selector.module = name;
}

void add_verdicts(const std::vector<BudgetRule>& rules, const std::string& name, std::vector<Verdict>& verdicts) {
  verdicts.push_back(
      verdict_of(rules[0], "the run", Outcome::fail, "past_bound",
                 {number("value", 200.4e6, kNs), text("comparison", "at most"), number("bound", 200e6, kNs)}));
  verdicts.push_back(verdict_of(rules[1], name, Outcome::fail, "timed_worse", timed(100e3, 118e3, 3, 0.4)));
  verdicts.back().interval = RatioInterval{.low = 1.15, .high = 1.21};
  verdicts.back().p = 0.004;
  verdicts.push_back(verdict_of(rules[2], "the run", Outcome::inconclusive, "timed_open", timed(96e6, 98e6, 3, 12)));
  verdicts.back().interval = RatioInterval{.low = 0, .high = std::numeric_limits<double>::infinity()};
  verdicts.back().p = 0.12;
  verdicts.push_back(verdict_of(rules[3], "the run", Outcome::fail, "exact_worse",
                                {number("base", 1200), number("value", 1232.5), number("allowed", 0)}));
  verdicts.push_back(
      verdict_of(rules[4], "the run", Outcome::pass, "within_bound",
                 {number("value", 62.5, kPercent), text("comparison", "at least"), number("bound", 50, kPercent)}));
  verdicts.push_back(verdict_of(rules[5], "GPU 0", Outcome::not_comparable, "absent", {}));
  verdicts.push_back(verdict_of(rules[6], name, Outcome::inconclusive, "timed_too_few", timed(50e3, 51e3, 10, 30)));
}

Difference difference_with(const std::string& name) {
  Difference difference{.per_step = true,
                        .part = PartOfRun::steps,
                        .comparable = {},
                        .base_runs = 5,
                        .changed_runs = 5,
                        .base_ns = 96'000'000,
                        .changed_ns = 104'000'000,
                        .base_wall_ns = {},
                        .changed_wall_ns = {},
                        .base_setup = {},
                        .changed_setup = {},
                        .gpus = 1,
                        .top = {},
                        .modules = {},
                        .kernels = {},
                        .kernels_in_modules = {},
                        .copies = {},
                        .idle = {},
                        .calls = {},
                        .causes = {}};
  difference.causes = {{.id = "kernel_slower",
                        .arguments = {text("kernel", name), text("module", name), number("base_mean", 100e3, kNs),
                                      number("mean", 118e3, kNs), number("count", 340)},
                        .change_ns = 6'100'000},
                       {.id = "rest", .arguments = {}, .change_ns = 1'900'000}};
  return difference;
}

KernelChange kernel_change(const std::string& name) {
  return {.kernel = name,
          .base_ns = 100e3,
          .changed_ns = 118e3,
          .clock_ns = {},
          .links = {
              {.figure = "registers", .base = number("base", 64), .changed = number("changed", 72)},
              {.figure = "occupancy", .base = number("base", 75, kPercent), .changed = number("changed", 50, kPercent)},
              {.figure = "time", .base = number("base", 100e3, kNs), .changed = number("changed", 118e3, kNs)}}};
}

DecidedSide side_of(std::string label, const std::string& name, size_t runs, std::string driver) {
  DecidedSide side{.sources = {}, .conditions = {}, .label = std::move(label)};
  for (size_t i = 0; i < runs; ++i) side.sources.push_back(fmt::format("{}/run{}.sqlite", name, i));
  side.conditions = {{"gpu", "NVIDIA H100"}, {"driver", std::move(driver)}};
  return side;
}

}  // namespace

std::unique_ptr<SampleDecision> sample_decision(const std::string& name) {
  auto sample = std::make_unique<SampleDecision>();
  add_rules(sample->budget.rules, name);
  Decision& d = sample->decision;
  d.base = side_of(name, name, 5, "550.54.14");
  d.changed = side_of("", name, 5, "560.35.03");
  d.has_base = true;
  d.false_alarm_rate = sample->budget.false_alarm_rate;
  d.conditions = {{.condition = &kDriver, .base = "550.54.14", .changed = "560.35.03", .allowed = true},
                  {.condition = &kHost, .base = name, .changed = "unknown", .allowed = false}};
  add_verdicts(sample->budget.rules, name, d.verdicts);
  d.combined = combine(d.verdicts);
  d.difference = difference_with(name);
  d.kernels = {kernel_change(name)};
  d.notes = {"Nothing was calibrated on this machine: " + name};
  return sample;
}

std::unique_ptr<SampleDecision> passing_decision() {
  auto sample = std::make_unique<SampleDecision>();
  sample->budget.rules = {bound_rule("avg_kernel_time <= 200 ms", "avg_kernel_time", Comparison::at_most, 200e6, 3)};
  Decision& d = sample->decision;
  d.changed.sources = {"run.sqlite"};
  d.verdicts.push_back(
      verdict_of(sample->budget.rules[0], "the run", Outcome::pass, "within_bound",
                 {number("value", 1.5e6, kNs), text("comparison", "at most"), number("bound", 200e6, kNs)}));
  d.combined = combine(d.verdicts);
  return sample;
}

std::unique_ptr<SampleDecision> many_kernels(size_t kernels) {
  auto sample = std::make_unique<SampleDecision>();
  sample->budget.rules = {change_rule("kernel_time, at most 3 % worse", "kernel_time", 0.03, Severity::error, 3)};
  Decision& d = sample->decision;
  d.has_base = true;
  for (size_t i = 0; i < kernels; ++i) {
    const bool slower = i + 1 == kernels;
    d.verdicts.push_back(verdict_of(sample->budget.rules[0], fmt::format("kernel_{}", i),
                                    slower ? Outcome::fail : Outcome::pass, slower ? "timed_worse" : "timed_same",
                                    timed(100e3, slower ? 118e3 : 100.2e3, 3, 0.4)));
  }
  d.combined = combine(d.verdicts);
  return sample;
}

std::string hostile_name() {
  std::string name = "<b>&amp;\"'`|*_[x](y)</script>--></system-out>]]>\n::error::%0A%s{}:,;\r\t\x01\x1b[31m";
  name += std::string(1, '\0');
  name += "\x7f\xC2\x9B\xEF\xBF\xBE\xFF\xC0\xAF \xF0\x9F\x94\xA5 @team #12 <!-- sonde-gate -->";
  return name + std::string(10'000, 'x');
}

}  // namespace sonde::sample_decisions
