#include "gate/exact_verdict.h"

#include <algorithm>
#include <cmath>

namespace sonde::gate {
namespace {

/// Sums of times that are equal differ by less.
constexpr double kRoundingOfFigure = 1e-12;

size_t with_values(const TimedRuns& runs) {
  return static_cast<size_t>(std::ranges::count_if(runs, [](const TimedRun& run) { return !run.empty(); }));
}

bool has_no_number(const TimedRuns& runs) {
  return std::ranges::any_of(runs, [](const TimedRun& run) {
    return std::ranges::any_of(run, [](double value) { return !std::isfinite(value); });
  });
}

bool holds(double value, const FixedBound& bound) {
  switch (bound.comparison) {
    case Comparison::at_most: return value <= bound.bound;
    case Comparison::below: return value < bound.bound;
    case Comparison::at_least: return value >= bound.bound;
    case Comparison::above: return value > bound.bound;
    case Comparison::equal: return value == bound.bound;
  }
  return false;
}

std::string_view words(Comparison comparison) {
  switch (comparison) {
    case Comparison::at_most: return "at most";
    case Comparison::below: return "less than";
    case Comparison::at_least: return "at least";
    case Comparison::above: return "more than";
    case Comparison::equal: return "exactly";
  }
  return {};
}

/// The values that have to keep to a bound: of an exact metric each, of a timed one the mean of its runs.
std::vector<double> bounded_values(const Subject& subject) {
  if (subject.rule->metric->kind == MetricKind::timed) return {mean_of(run_centres(subject.changed, Centre::median))};
  std::vector<double> all;
  for (const TimedRun& run : subject.changed) all.insert(all.end(), run.begin(), run.end());
  return all;
}

Argument plain(std::string name, size_t value) {
  return {.name = std::move(name), .unit = Unit::none, .number = static_cast<double>(value), .text = {}};
}

struct Range {
  double low = 0;
  double high = 0;
};

Range range_of(const TimedRuns& runs) {
  const std::vector<double> centres = run_centres(runs, Centre::median);
  return {std::ranges::min(centres), std::ranges::max(centres)};
}

Verdict not_comparable(const Subject& subject, std::string_view reason) {
  Verdict verdict = begin_verdict(subject);
  verdict.reason = reason;
  return verdict;
}

Verdict absent_in_some(const Subject& subject) {
  Verdict verdict = not_comparable(subject, "absent_in_some");
  const TimedRuns base = subject.base.value_or(TimedRuns());
  for (auto&& argument : {plain("base_runs", with_values(base)), plain("base_all", base.size()),
                          plain("runs", with_values(subject.changed)), plain("all", subject.changed.size())}) {
    verdict.arguments.push_back(argument);
  }
  return verdict;
}

/// By how much at least, and at most, the new runs are worse.
Range worse_by(const Metric& metric, const Range& base, const Range& changed) {
  if (metric.better == Better::lower) return {changed.low - base.high, changed.high - base.low};
  return {base.low - changed.high, base.high - changed.low};
}

std::string_view exact_reason(const Range& worse, double allowed) {
  if (worse.low > allowed) return "exact_worse";
  if (worse.high > allowed) return "exact_varies";
  if (worse.high > 0) return "exact_allowed";
  return worse.low < 0 ? "exact_better" : "exact_same";
}

Outcome exact_outcome(std::string_view reason) {
  if (reason == "exact_worse") return Outcome::fail;
  return reason == "exact_varies" ? Outcome::inconclusive : Outcome::pass;
}

}  // namespace

Argument figure(std::string name, const Metric& metric, double value) {
  return {.name = std::move(name), .unit = metric.unit, .number = value, .text = {}};
}

Verdict begin_verdict(const Subject& subject) {
  Verdict verdict{.rule = subject.rule, .subject = subject.name};
  verdict.arguments.push_back({.name = "metric", .text = std::string(subject.rule->metric->name)});
  verdict.arguments.push_back({.name = "subject", .text = subject.name});
  return verdict;
}

std::optional<Verdict> missing_figures(const Subject& subject) {
  const bool against_base = std::holds_alternative<AllowedChange>(subject.rule->demand);
  if (with_values(subject.changed) == 0) return not_comparable(subject, "absent");
  if (against_base && !subject.base && !subject.history) return not_comparable(subject, "no_baseline");
  if (against_base && subject.base && with_values(*subject.base) == 0) return not_comparable(subject, "absent_in_base");
  const bool some_of_base = against_base && subject.base && with_values(*subject.base) < subject.base->size();
  if (some_of_base || with_values(subject.changed) < subject.changed.size()) return absent_in_some(subject);
  if (has_no_number(subject.changed) || (against_base && subject.base && has_no_number(*subject.base))) {
    return not_comparable(subject, "no_number");
  }
  return std::nullopt;
}

Verdict judge_bound(const Subject& subject, const FixedBound& bound) {
  const Metric& metric = *subject.rule->metric;
  Verdict verdict = begin_verdict(subject);
  const std::vector<double> values = bounded_values(subject);
  const auto past = std::ranges::find_if_not(values, [&](double value) { return holds(value, bound); });
  verdict.outcome = past == values.end() ? Outcome::pass : Outcome::fail;
  verdict.reason = past == values.end() ? "within_bound" : "past_bound";
  verdict.changed = mean_of(values);
  verdict.arguments.push_back(figure("value", metric, past == values.end() ? *verdict.changed : *past));
  verdict.arguments.push_back({.name = "comparison", .text = std::string(words(bound.comparison))});
  verdict.arguments.push_back(figure("bound", metric, bound.bound));
  return verdict;
}

Verdict judge_exact(const Subject& subject, const AllowedChange& change) {
  const Metric& metric = *subject.rule->metric;
  Verdict verdict = begin_verdict(subject);
  const Range base = range_of(*subject.base);
  const Range changed = range_of(subject.changed);
  verdict.base = mean_of(run_centres(*subject.base, Centre::median));
  verdict.changed = mean_of(run_centres(subject.changed, Centre::median));
  const double allowed = std::max(change.amount, change.share * *verdict.base);
  verdict.reason = exact_reason(worse_by(metric, base, changed), allowed + kRoundingOfFigure * *verdict.base);
  verdict.outcome = exact_outcome(verdict.reason);
  for (auto&& argument : {figure("base", metric, *verdict.base), figure("value", metric, *verdict.changed),
                          figure("allowed", metric, allowed), figure("base_low", metric, base.low),
                          figure("base_high", metric, base.high), figure("low", metric, changed.low),
                          figure("high", metric, changed.high)}) {
    verdict.arguments.push_back(argument);
  }
  return verdict;
}

}  // namespace sonde::gate
