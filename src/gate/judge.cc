#include <algorithm>
#include <cmath>

#include "gate/correction.h"
#include "gate/exact_verdict.h"
#include "gate/from_nothing.h"
#include "gate/verdict.h"

namespace sonde::gate {
namespace {

constexpr double kConfidence = 0.95;

/// A longer series is not made.
constexpr double kMostRuns = 1000;

/// Of the distribution of sessions, nothing is known further out.
constexpr double kSmallestSessionP = 1e-4;

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
  std::optional<double> amount = {};  ///< that is allowed, in the metric's unit, where it is more than the share
  std::optional<SessionPrediction> sessions = {};  ///< against earlier sessions: what they tell
  size_t earlier = 0;                              ///< sessions
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

/// The amount where it, and not the share, is what is allowed.
std::optional<double> allowed_amount(const AllowedChange& change, double base) {
  return change.amount / base > change.share ? std::optional(change.amount) : std::nullopt;
}

/// Turned so that more is worse.
SessionHistory turned(SessionHistory history, const Metric& metric) {
  if (metric.better == Better::lower) return history;
  for (Session& session : history.sessions) {
    for (double& value : session.runs) value = 1 / value;
  }
  return history;
}

/// The new session against the level of the earlier ones. What depends on the number of tests is still open.
TimedTest make_session_test(const Subject& subject, size_t index, const AllowedChange& change) {
  const Metric& metric = *subject.rule->metric;
  std::vector<double> changed = run_centres(subject.changed, Centre::median);
  const SessionPrediction sessions(turned(*subject.history, metric), changed.size());
  const bool lower = metric.better == Better::lower;
  const double level = lower ? sessions.level() : 1 / sessions.level();
  const double ratio = lower ? mean_of(changed) / level : level / mean_of(changed);
  const double allowed = allowed_ratio(metric, change, level);
  FamilyMember worse{{level}, std::move(changed)};
  if (!lower) std::swap(worse.base, worse.changed);
  return {.subject = index,
          .worse = std::move(worse),
          .allowed = allowed,
          .limit = std::max(allowed, 1 + subject.noise_floor.value_or(0)),
          .ratio = ratio,
          .p_worse = sessions.p_above(ratio),
          .p_better = sessions.p_below(ratio),
          .smallest_p = 0,
          .interval = sessions.interval(ratio, kConfidence),
          .amount = allowed_amount(change, level),
          .sessions = sessions,
          .earlier = subject.history->sessions.size()};
}

TimedTest make_test(const Subject& subject, size_t index, const AllowedChange& change, uint64_t seed) {
  const Metric& metric = *subject.rule->metric;
  std::vector<double> base = run_centres(*subject.base, Centre::median);
  std::vector<double> changed = run_centres(subject.changed, Centre::median);
  const double allowed = allowed_ratio(metric, change, mean_of(base));
  const auto amount = allowed_amount(change, mean_of(base));
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
          .interval = test.interval(kConfidence),
          .amount = amount};
}

/// All timed tests of a budget, corrected together.
class TimedFamily {
 public:
  explicit TimedFamily(const JudgeOptions& options) : options_(options) {}

  void add(TimedTest test) { tests_.push_back(std::move(test)); }

  void correct() {
    for (TimedTest& t : tests_) {
      if (t.sessions) judge_session(t);
    }
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
  [[nodiscard]] double rate_each() const { return options_.false_alarm_rate / static_cast<double>(tests_.size()); }

  void judge_session(TimedTest& t) const {
    t.limit = std::max(t.limit, t.sessions->limit(rate_each()));
    t.p_within = t.sessions->p_below(t.ratio / t.limit);
  }

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

  /// Sessions with which this ratio would fail or pass; absent where no number does that the gate would look at.
  [[nodiscard]] std::optional<size_t> sessions_to_decide(const TimedTest& t) const {
    for (size_t sessions = t.earlier + 1; sessions <= kMostSessions; ++sessions) {
      const SessionPrediction then = t.sessions->after_more(sessions - t.earlier);
      const double limit = std::max(t.allowed, then.limit(rate_each()));
      if (t.ratio > limit || then.p_below(t.ratio / limit) <= options_.missed_rate) return sessions;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string_view session_reason(const TimedTest& t) const {
    if (t.ratio > t.limit) return "session_worse";
    if (t.p_within > options_.missed_rate) return sessions_to_decide(t) ? "session_open" : "session_near";
    return t.p_better <= rate_each() ? "session_better" : "session_same";
  }

  [[nodiscard]] std::string_view reason_of(const TimedTest& t, double p) const {
    if (t.sessions) return session_reason(t);
    if (p <= options_.false_alarm_rate) return t.ratio > t.limit ? "timed_worse" : "timed_in_noise";
    if (t.p_within <= options_.missed_rate) {
      return t.p_better <= rate_each() ? "timed_better" : "timed_same";
    }
    if (smallest_corrected(t) > options_.false_alarm_rate) return "timed_too_few";
    return runs_to_decide(t) > kMostRuns ? "timed_near" : "timed_open";
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
    verdict.p = t.sessions ? std::max(p, kSmallestSessionP) : p;
    add_arguments(metric, t, verdict);
    return verdict;
  }

  static Outcome outcome_of(std::string_view reason) {
    if (reason == "timed_worse" || reason == "session_worse") return Outcome::fail;
    return reason.ends_with("_better") || reason.ends_with("_same") ? Outcome::pass : Outcome::inconclusive;
  }

  void add_arguments(const Metric& metric, const TimedTest& t, Verdict& verdict) const {
    const auto fewest = static_cast<double>(std::min(t.worse.base.size(), t.worse.changed.size()));
    const double change = std::abs(*verdict.changed / *verdict.base - 1);
    const double limit = metric.better == Better::lower ? t.limit - 1 : 1 - 1 / t.limit;
    const double allowed = metric.better == Better::lower ? t.allowed - 1 : 1 - 1 / t.allowed;
    const bool by_amount = t.amount && (t.sessions || t.limit == t.allowed);
    if (t.sessions) {
      verdict.arguments.push_back(plain("sessions", static_cast<double>(t.earlier)));
      verdict.arguments.push_back(share("limit", limit));
      verdict.arguments.push_back(share("spread", t.sessions->spread()));
      const auto decides = verdict.reason == "session_open" ? sessions_to_decide(t) : std::nullopt;
      if (decides) verdict.arguments.push_back(plain("decides", static_cast<double>(*decides)));
    } else {
      verdict.arguments.push_back(share("spread", spread_of_runs(t)));
      verdict.arguments.push_back(plain("decides", std::min(runs_to_decide(t), kMostRuns)));
      verdict.arguments.push_back(plain("most", kMostRuns));
    }
    for (auto&& argument :
         {figure("base", metric, *verdict.base), figure("value", metric, *verdict.changed),
          by_amount ? figure("change", metric, std::abs(*verdict.changed - *verdict.base)) : share("change", change),
          by_amount ? figure("allowed", metric, *t.amount) : share("allowed", t.sessions ? allowed : limit),
          share("p", *verdict.p), plain("runs", fewest), plain("tests", static_cast<double>(tests_.size())),
          plain("needed", needed_runs())}) {
      verdict.arguments.push_back(argument);
    }
  }

  /// Pooled over both sides, as a share: of the values' logarithms.
  static double spread_of_runs(const TimedTest& t) {
    double squares = 0;
    for (const std::vector<double>* side : {&t.worse.base, &t.worse.changed}) {
      const double mean = mean_of(*side);
      for (const double value : *side) squares += (value / mean - 1) * (value / mean - 1);
    }
    const auto runs = static_cast<double>(t.worse.base.size() + t.worse.changed.size());
    return runs > 2 ? std::sqrt(squares / (runs - 2)) : 0;
  }

  /// Runs a side with which the measured ratio would be told from the limit: those of a test of two means at both error
  /// rates (with a normal distribution).
  [[nodiscard]] static double runs_to_decide(const TimedTest& t) {
    constexpr double kDeviations = 4.2;  // 2.58 for a false alarm of 0.5 %, 1.64 for 5 % of missed ones
    const double distance = std::abs(std::log(t.ratio / t.limit)) / (kDeviations * spread_of_runs(t));
    const auto fewest = static_cast<double>(std::min(t.worse.base.size(), t.worse.changed.size()));
    return std::max(fewest + 1, std::ceil(2 / (distance * distance)));
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

/// The first entry of a baseline has none to be compared with.
Verdict first_of_history(const Subject& subject) {
  Verdict verdict = begin_verdict(subject);
  verdict.outcome = Outcome::learning;
  verdict.reason = "learning_first";
  return verdict;
}

Verdict still_learning(const Subject& subject) {
  Verdict verdict = begin_verdict(subject);
  const Metric& metric = *subject.rule->metric;
  verdict.outcome = Outcome::learning;
  verdict.reason = "learning";
  verdict.base = mean_of(run_centres(*subject.base, Centre::median));
  verdict.changed = mean_of(run_centres(subject.changed, Centre::median));
  const auto number = [](std::string name, size_t value) {
    return Argument{.name = std::move(name), .unit = Unit::none, .number = static_cast<double>(value), .text = {}};
  };
  for (auto&& argument :
       {figure("base", metric, *verdict.base), figure("value", metric, *verdict.changed),
        number("sessions", subject.history->sessions.size()), number("missing", missing_sessions(*subject.history))}) {
    verdict.arguments.push_back(argument);
  }
  return verdict;
}

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
    } else if (!subject.base) {
      verdicts[i] = first_of_history(subject);
    } else if (subject.rule->metric->kind == MetricKind::exact) {
      verdicts[i] = judge_exact(subject, *change);
    } else if (auto from_nothing = judge_from_nothing(subject, *change)) {
      verdicts[i] = std::move(*from_nothing);
    } else if (!all_above_zero(subject.changed) || !all_above_zero(*subject.base)) {
      verdicts[i] = without_ratio(subject);
    } else if (subject.history && missing_sessions(*subject.history) > 0) {
      verdicts[i] = still_learning(subject);
    } else if (subject.history) {
      family.add(make_session_test(subject, i, *change));
    } else {
      family.add(make_test(subject, i, *change, options.seed));
    }
  }
  family.correct();
  family.give(subjects, verdicts);
  return verdicts;
}

}  // namespace sonde::gate
