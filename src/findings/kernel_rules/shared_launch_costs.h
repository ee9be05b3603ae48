#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "findings/rule.h"

/// For rules on the launches of kernel reports.
namespace sonde {

inline constexpr Fields kKernelReportFields{Field::kernel_profiles, Field::metric_instances, Field::source_lines};
inline constexpr Checks kKernelReportChecks{};

/// A problem of one launch: the most of its time that a fix saves, and figures for the text.
struct LaunchProblem {
  double saves_percent = 0;
  std::vector<Argument> figures;
};

/// A problem's finding. Its text gets {time}, what the launches take that have it, {most}, the kernels with shares of
/// that, {it} for the launch that it costs most, and the figures of that launch.
struct LaunchFinding {
  std::string_view id;
  /// Absent where the launch does not have the problem.
  std::function<std::optional<LaunchProblem>(const MeasuredLaunch&)> problem;
  bool reachable = true;
  std::string_view counter = {};  ///< by instruction: what the source lines of the problem have most of; else samples
};

/// Adds the finding where a fix saves at least 1 % of the time of all launches.
void add_launches(const Facts& facts, const LaunchFinding& finding, Diagnosis& diagnosis);

/// The share of a launch's time that a fix saves if `share_percent` of what limits it goes away, and the compute units
/// then limit it: they work as long as before.
[[nodiscard]] inline double saved_percent(const MeasuredLaunch& launch, double share_percent) {
  return std::min(share_percent, 100 - launch.compute_percent.value_or(0));
}

/// A count for a text, rounded.
[[nodiscard]] std::string rounded_count(double count);

}  // namespace sonde
