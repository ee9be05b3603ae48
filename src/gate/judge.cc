#include <algorithm>
#include <cmath>

#include "gate/correction.h"
#include "gate/exact_verdict.h"
#include "gate/from_nothing.h"
#include "gate/verdict.h"

namespace sonde::gate {
namespace {

constexpr double kConfidence = 0.95;

/// A timed metric against the baseline. All ratios are turned so that more is worse.
struct TimedTest {
  size_t subject = 0;  ///< index among the subjects, and of its verdict
  FamilyMember worse;  ///< a value a run; sides swapped where higher is better
  double allowed = 1;  ///< ratio that the budget allows
  double limit = 1;    ///< the same, or the noise floor where that is wider
  double ratio = 1;
  double p_worse = 1;     ///< that it is worse than allowed only by chance
  double p_within = 1;    ///< that it is within the limit only by chance
  double p_better = 1;    ///< that it is better only by chance
  double smallest_p = 1;  ///< that so few runs can give
  RatioInterval interval = {};
};

/// The allowed change as a ratio above 1.
double allowed_ratio(const Metric& metric, const AllowedChange& change, double base) {
  const double share = std::max(change.share, change.amount / base);
  if (metric.better == Better::lower) return 1 + share;
  constexpr double kMost = 0.999;  // it cannot fall by more than itself
  return 1 / (1 - std::min(share, kMost));
}

/// Of what stands for each run.
bool all_above_zero(const TimedRuns& runs) {
  return std::ranges::all_of(run_centres(runs, Centre::median),
                             [](double value) { return std::isfinite(value) && value > 0; });
}

TimedTest make_test(const Subject& subject, size_t index, const AllowedChange& change, uint64_t seed) {
  const Metric& metric = *subject.rule->metric;
  std::vector<double> base = run_centres(*subject.base, Centre::median);
  std::vector<double> changed = run_centres(subject.changed, Centre::median);
  const double allowed = allowed_ratio(metric, change, mean_of(base));
  if (metric.better == Better::higher) std::swap(base, changed);
  const double limit = std::max(allowed, 1 + subject.noise_floor.value_or(0));
  // Not kept: with many runs it holds megabytes.
  const PermutationTest test(base, changed, seed);
  return {.subject = index,
          .worse = {std::move(base), std::move(changed)},
          .allowed = allowed,
          .limit = limit,
          .ratio = test.ratio(),
          .p_worse = test.p_above(allowed),
          .p_within = test.p_below(limit),
          .p_better = test.p_below(1),
          .smallest_p = test.smallest_p(),
          .interval = test.interval(kConfidence)};
}

/// All timed tests of a budget, corrected together.
class TimedFamily {
 public:
  explicit TimedFamily(const JudgeOptions& options) : options_(options) {}

  void add(TimedTest test) { tests_.push_back(std::move(test)); }

  void correct() {
    by_max_t_ = !tests_.empty() && !enough_for_holm() && same_runs();
    if (by_max_t_) {
      corrected_ = max_t(scaled(), options_.seed);
      return;
    }
    std::vector<double> p_values;
    for (const TimedTest& t : tests_) p_values.push_back(t.p_worse);
    corrected_ = holm(p_values);
  }

  void give(std::span<const Subject> subjects, std::vector<Verdict>& verdicts) const {
    for (size_t i = 0; i < tests_.size(); ++i) {
      verdicts[tests_[i].subject] = verdict_of(subjects[tests_[i].subject], tests_[i], corrected_[i]);
    }
  }

 private:
  [[nodiscard]] bool enough_for_holm() const {
    return std::ranges::none_of(tests_, [&](const TimedTest& t) {
      return needs_max_t(tests_.size(), t.smallest_p, options_.false_alarm_rate);
    });
  }

  [[nodiscard]] bool same_runs() const {
    const FamilyMember& first = tests_.front().worse;
    return first.base.size() + first.changed.size() > 2 && std::ranges::all_of(tests_, [&](const TimedTest& t) {
             return t.worse.base.size() == first.base.size() && t.worse.changed.size() == first.changed.size();
           });
  }

  /// "No worse than allowed" is "no worse" once the change is divided by what is allowed.
  [[nodiscard]] std::vector<FamilyMember> scaled() const {
    std::vector<FamilyMember> family;
    for (const TimedTest& t : tests_) {
      family.push_back(t.worse);
      for (double& value : family.back().changed) value /= t.allowed;
    }
    return family;
  }

  [[nodiscard]] double smallest_corrected(const TimedTest& t) const {
    return t.smallest_p * (by_max_t_ ? 1 : static_cast<double>(tests_.size()));
  }

  /// Runs a side with which the smallest p-value, by max_t, is below the rate of false alarms.
  [[nodiscard]] int needed_runs() const {
    double arrangements = 1;
    int runs = 0;
    while (arrangements * options_.false_alarm_rate < 1) {
      ++runs;
      arrangements *= 2.0 * (2 * runs - 1) / runs;  // C(2n, n) from C(2n - 2, n - 1)
    }
    return runs;
  }

  [[nodiscard]] std::string_view reason_of(const TimedTest& t, double p) const {
    if (p <= options_.false_alarm_rate) return t.ratio > t.limit ? "timed_worse" : "timed_in_noise";
    if (t.p_within <= options_.missed_rate) {
      return t.p_better <= options_.false_alarm_rate / static_cast<double>(tests_.size()) ? "timed_better"
                                                                                          : "timed_same";
    }
    return smallest_corrected(t) > options_.false_alarm_rate ? "timed_too_few" : "timed_open";
  }

  [[nodiscard]] Verdict verdict_of(const Subject& subject, const TimedTest& t, double p) const {
    const Metric& metric = *subject.rule->metric;
    Verdict verdict = begin_verdict(subject);
    verdict.reason = reason_of(t, p);
    verdict.outcome = outcome_of(verdict.reason);
    const bool swapped = metric.better == Better::higher;
    verdict.base = mean_of(swapped ? t.worse.changed : t.worse.base);
    verdict.changed = mean_of(swapped ? t.worse.base : t.worse.changed);
    verdict.interval = swapped ? RatioInterval{1 / t.interval.high, 1 / t.interval.low} : t.interval;
    verdict.p = p;
    add_arguments(metric, t, verdict);
    return verdict;
  }

  static Outcome outcome_of(std::string_view reason) {
    if (reason == "timed_worse") return Outcome::fail;
    return reason == "timed_better" || reason == "timed_same" ? Outcome::pass : Outcome::inconclusive;
  }

  void add_arguments(const Metric& metric, const TimedTest& t, Verdict& verdict) const {
    const auto fewest = static_cast<double>(std::min(t.worse.base.size(), t.worse.changed.size()));
    const double change = std::abs(*verdict.changed / *verdict.base - 1);
    const double limit = metric.better == Better::lower ? t.limit - 1 : 1 - 1 / t.limit;
    for (auto&& argument :
         {figure("base", metric, *verdict.base), figure("value", metric, *verdict.changed), share("change", change),
          share("allowed", limit), share("p", *verdict.p), plain("runs", fewest),
          plain("tests", static_cast<double>(tests_.size())), plain("needed", needed_runs())}) {
      verdict.arguments.push_back(argument);
    }
  }

  static Argument share(std::string name, double value) {
    return {.name = std::move(name), .unit = Unit::percent, .number = 100 * value, .text = {}};
  }
  static Argument plain(std::string name, double value) {
    return {.name = std::move(name), .unit = Unit::none, .number = value, .text = {}};
  }

  const JudgeOptions& options_;
  std::vector<TimedTest> tests_;
  std::vector<double> corrected_;
  bool by_max_t_ = false;
};

Verdict without_ratio(const Subject& subject) {
  Verdict verdict = begin_verdict(subject);
  verdict.reason = "no_time";
  return verdict;
}

}  // namespace

std::vector<Verdict> judge(std::span<const Subject> subjects, const JudgeOptions& options) {
  std::vector<Verdict> verdicts(subjects.size());
  TimedFamily family(options);
  for (size_t i = 0; i < subjects.size(); ++i) {
    const Subject& subject = subjects[i];
    const auto* const change = std::get_if<AllowedChange>(&subject.rule->demand);
    if (auto missing = missing_figures(subject)) {
      verdicts[i] = std::move(*missing);
    } else if (change == nullptr) {
      verdicts[i] = judge_bound(subject, std::get<FixedBound>(subject.rule->demand));
    } else if (subject.rule->metric->kind == MetricKind::exact) {
      verdicts[i] = judge_exact(subject, *change);
    } else if (auto from_nothing = judge_from_nothing(subject, *change)) {
      verdicts[i] = std::move(*from_nothing);
    } else if (!all_above_zero(subject.changed) || !all_above_zero(*subject.base)) {
      verdicts[i] = without_ratio(subject);
    } else {
      family.add(make_test(subject, i, *change, options.seed));
    }
  }
  family.correct();
  family.give(subjects, verdicts);
  return verdicts;
}

}  // namespace sonde::gate
