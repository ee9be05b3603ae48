#pragma once

#include <span>
#include <vector>

#include "gate/decide/cases.h"
#include "gate/decide/decision.h"

/// Whether it is the clock that made a figure worse.
namespace sonde::gate {

/// Subjects as they would be at one SM clock: where every run of both sides tells its clock, times of figures that the
/// clock divides out of are multiplied by the run's clock and divided by the baseline's mean one. A rule's amounts keep
/// their meaning so. Others stay as they are. The same order. `earlier`: sessions of the baseline, or nullptr.
[[nodiscard]] std::vector<Subject> at_one_clock(std::span<const Case> cases, const Sides& sides,
                                                const EarlierSessions* earlier = nullptr);

/// The SM clock of a run in Hz: the mean over the GPUs that the scope is about. Absent where one does not tell.
[[nodiscard]] std::optional<double> clock_of(const RunRecord& run, const Scope& scope);

/// What failed in time and does not fail at one clock is the clock's: inconclusive. `verdicts` and `at_one` are of the
/// same subjects.
void excuse_clock(std::span<const Case> cases, const Sides& sides, std::span<const Verdict> at_one,
                  std::span<Verdict> verdicts);

}  // namespace sonde::gate
