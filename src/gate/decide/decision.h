#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gate/difference/difference.h"
#include "gate/record/run_record.h"
#include "gate/verdict.h"

namespace sonde::gate {

/// A condition that is not the same on both sides, or within one.
struct ConditionDifference {
  const ConditionInfo* condition = nullptr;
  std::string base;  ///< values met, joined by ", "; "not known"
  std::string changed;
  bool allowed = false;  ///< the user said that it does not matter
};

/// One side of a decision, for people and for documents.
struct DecidedSide {
  std::vector<std::string> sources;  ///< of the runs
  Conditions conditions;             ///< those that are the same in all its runs
  std::string label;                 ///< a baseline's name, a commit; may be empty
};

/// Floors measured by `sonde gate calibrate`: by metric and subject's name, as a share.
struct CalibratedFloors {
  Conditions conditions;  ///< that they were measured under
  size_t runs = 0;
  /// Values of the calibration's runs, from which a floor for any number of runs a side is drawn: one centre a run.
  std::map<std::pair<std::string, std::string>, std::vector<double>> centres;
};

/// Runs of an entry of the baseline: they were made together.
struct EarlierSession {
  std::vector<RunRecord> runs;
  bool new_level = false;  ///< as Session::new_level
};

/// What the baseline's entries tell of how sessions of one program on one machine differ.
struct EarlierSessions {
  std::vector<EarlierSession> sessions = {};  ///< oldest first
  std::optional<size_t> level = {};           ///< as SessionHistory::level
};

struct DecideOptions {
  std::vector<std::string> allowed_conditions;  ///< names of conditions.inc that may differ
  const CalibratedFloors* floors = nullptr;
  /// Given where `base` was made in another session than `changed` (an entry of a baseline), or where a baseline has no
  /// entry yet. Absent where the runs of both sides were interleaved.
  const EarlierSessions* earlier = nullptr;
  std::optional<double> false_alarm_rate;  ///< instead of the budget's
  uint64_t seed = 1;
  /// Part of both error rates that this look may spend (rate_share()); 1 for a single look.
  double rate_share = 1;
};

/// All that came of a budget.
struct Decision {
  DecidedSide base;
  DecidedSide changed;
  bool has_base = false;
  double false_alarm_rate = 0;
  std::vector<ConditionDifference> conditions;
  std::vector<Verdict> verdicts;
  CombinedVerdict combined;
  std::optional<Difference> difference;  ///< where both sides have timelines that may be compared
  std::vector<KernelChange> kernels;     ///< of kernel reports
  std::vector<std::string> notes;        ///< for people: what was left out, that nothing was calibrated
};

/// `base` empty: no baseline; rules against one are then not comparable. `budget` must outlive the decision.
[[nodiscard]] Decision decide(const Budget& budget, std::span<const RunRecord> base, std::span<const RunRecord> changed,
                              const DecideOptions& options);

/// The subjects of a budget's rules, in the rules' order (decide() without judging). Small kernels are pooled.
[[nodiscard]] std::vector<Subject> subjects_of(const Budget& budget, std::span<const RunRecord> base,
                                               std::span<const RunRecord> changed);

}  // namespace sonde::gate
