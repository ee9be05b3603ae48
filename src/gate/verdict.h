#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "findings/finding.h"
#include "gate/budget.h"
#include "gate/permutation.h"
#include "gate/runs.h"
#include "gate/sessions/session_prediction.h"

namespace sonde::gate {

enum class Outcome { pass, fail, inconclusive, not_comparable, learning };

/// "pass", "fail", "inconclusive", "not_comparable", "learning".
[[nodiscard]] std::string_view outcome_name(Outcome outcome);

/// What the program ends with: 0, 1, 3, 4, and 0 while it learns. Beside them stand 2 for a wrong command line and 5
/// for an error, such as a profile that cannot be read.
[[nodiscard]] int exit_code(Outcome outcome);
inline constexpr int kUsageExit = 2;
inline constexpr int kErrorExit = 5;

/// One figure that a rule looks at: the whole program, or one kernel of those that its selector fits.
struct Subject {
  const BudgetRule* rule = nullptr;  ///< outlives the verdict
  std::string name;                  ///< for people: "the run", a kernel, a module
  /// A run each, all of a side's in the same order for every subject; empty where the run does not have the figure. An
  /// exact metric has one value a run.
  TimedRuns changed;
  std::optional<TimedRuns> base;      ///< absent where there is no baseline
  std::optional<double> noise_floor;  ///< as a share, of noise_floor(); absent where nothing was calibrated
  /// Earlier sessions where `base` was made in another session than `changed`; absent where they were interleaved. Of
  /// an exact metric it has no sessions.
  std::optional<SessionHistory> history = {};
};

struct JudgeOptions {
  double false_alarm_rate = 0.005;  ///< of any alarm over all timed subjects
  double missed_rate = 0.05;        ///< of a pass where it is worse than allowed
  uint64_t seed = 1;
};

/// What became of one subject. Of the numbers those are absent that its reason does not rest on.
struct Verdict {
  const BudgetRule* rule = nullptr;
  std::string subject;
  Outcome outcome = Outcome::not_comparable;
  std::string_view reason = {};  ///< id in reasons_en.inc
  std::vector<Argument> arguments = {};
  std::optional<double> base = {};             ///< mean of the runs, in the metric's unit
  std::optional<double> changed = {};          ///< the same of the new ones
  std::optional<RatioInterval> interval = {};  ///< of changed / base, with 95 % confidence; timed metrics only
  std::optional<double> p = {};                ///< that it is worse than allowed by chance, corrected for all subjects
};

/// Judges all subjects of a budget together, in their order.
///
/// - Fixed bound: an exact metric must keep to it in every run, a timed one in the mean of its runs (a run's value is
/// the
///   median of its times). One run is enough.
/// - Exact metric against the baseline: fails where it is worse than allowed whichever run is compared with whichever.
/// - Timed metric against the baseline: fails where the permutation test over runs, corrected for all timed subjects,
///   says that it is worse than allowed, and the measured ratio is above the noise floor too. Passes where the test
///   says that it is not worse than allowed, or than the noise floor where that is wider. Else it is inconclusive; so
///   is what is surely worse than allowed but below the floor.
/// - Timed metric against earlier sessions: fails where the new session is worse than allowed, and further from the
/// level
///   than sessions of an unchanged program are (SessionPrediction, each of n tests at 1/n of the rate). Learning where
///   there are too few sessions.
///
/// The floor is a percentile of measured ratios of equal programs; so it is the measured ratio that is held against it.
/// Holding the confidence bound against it would count the same noise twice.
///
/// The correction is Holm's where the runs are enough for it and Westfall and Young's (max_t) where they are not and
/// all timed subjects have the same number of runs. The choice depends on these numbers alone, not on what was
/// measured.
[[nodiscard]] std::vector<Verdict> judge(std::span<const Subject> subjects, const JudgeOptions& options);

/// The verdict over all: fail where an error-severity check fails; else not comparable where one could not be made;
/// else inconclusive where one is open; else pass. Warnings change the reason only. No check at all is not comparable.
struct CombinedVerdict {
  Outcome outcome = Outcome::not_comparable;
  std::string_view reason;
  std::vector<Argument> arguments;
};
[[nodiscard]] CombinedVerdict combine(std::span<const Verdict> verdicts);

/// A text of reasons_en.inc, with {named} arguments as report/sentence.h writes them. Empty for an id that it does not
/// have.
[[nodiscard]] std::string_view reason_text(std::string_view id);
/// The same of group_reasons_en.inc: what is true of all verdicts with that reason and these arguments.
[[nodiscard]] std::string_view group_reason_text(std::string_view id);

}  // namespace sonde::gate
