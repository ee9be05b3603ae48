#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "gate/runs.h"

namespace sonde::gate {

struct SelfTestPlan {
  size_t runs_per_side = 10;
  int comparisons = 2000;
  double false_alarm_rate = 0.005;  ///< asked for, over the whole family
  double tolerance = 0;             ///< share by which the change may be worse
  double power = 0.95;
  uint64_t seed = 1;
};

struct SelfTestResult {
  double false_alarm_rate = 0;   ///< share of A/A comparisons with any alarm in the family
  double false_alarm_bound = 0;  ///< its upper 95 % bound
  /// By metric: the smallest change, as a share, that is found in `power` of the comparisons while the others stay the
  /// same. Absent where there are too few runs to find any.
  std::vector<std::optional<double>> smallest_change = {};
};

/// What the gate does with this noise. `family`: for each metric the runs of one unchanged program, the same runs in
/// the same order for all. Each comparison draws runs_per_side runs for either side, with replacement, and of each run
/// blocks of consecutive times, so that what carries over between them stays. Metrics are tested as judge() does it
/// (FamilyTest): by permutation of runs, corrected by Holm's method or, with few runs, by max_t, and no nearer to 1
/// than the noise floor of the same runs. Comparisons are made on all cores; what comes out does not depend on how
/// many.
///
/// An error where a metric has fewer than kFewestCalibrationRuns runs.
[[nodiscard]] Result<SelfTestResult> self_test(std::span<const TimedRuns> family, const SelfTestPlan& plan);

}  // namespace sonde::gate
