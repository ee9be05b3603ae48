#pragma once

#include <optional>

#include "gate/decide/cases.h"

/// Runs that were given twice, by another name or as the record of the same profile.
namespace sonde::gate {

/// Two records of one run.
struct RepeatedRun {
  Refusal refusal;
  bool on_both_sides = false;  ///< else twice on one side
};

/// Absent if every run occurs once. Runs are the same where all their times agree to the nanosecond, which
/// those of two processes do not; of runs without work on a GPU, and of kernel reports, it is not known.
[[nodiscard]] std::optional<RepeatedRun> repeated_run(const Sides& sides);

/// Whether it leaves a rule nothing to rest on: a run held against itself has not changed, whatever it costs, and one
/// that counts several times makes noise look like certainty, which exact figures and fixed bounds do not depend on.
[[nodiscard]] bool spoils(const RepeatedRun& repeated, const BudgetRule& rule);

}  // namespace sonde::gate
