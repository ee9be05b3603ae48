#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Metrics of the gate that a kernel profiler's counters give.
namespace sonde::gate {

enum class LaunchFold : uint8_t {
  mean,  ///< weighted by the launches' durations
  sum,
};

/// Folds the values of launches, or of kernels that are folds themselves, in either way. Absent where one lacks its
/// value, or a mean over several one's duration.
class MeasuredFold {
 public:
  void add(std::optional<double> value, std::optional<double> duration_ns);
  [[nodiscard]] std::optional<double> folded(LaunchFold fold) const;

 private:
  size_t values_ = 0;
  double sum_ = 0;
  double weighted_ = 0;
  double ns_ = 0;
  bool all_have_it_ = true;
  bool all_have_duration_ = true;
};

/// A row of measured_metrics.inc.
struct MeasuredMetric {
  std::string_view metric;
  std::string_view quantity;
  LaunchFold fold;
  std::string_view section;
};

[[nodiscard]] std::span<const MeasuredMetric> measured_metrics();
/// nullptr for a metric that comes from something else.
[[nodiscard]] const MeasuredMetric* find_measured_metric(std::string_view metric);

/// What `ncu --metrics` is given to collect it: the preferred counter, and the duration that weighs it.
[[nodiscard]] std::string counters_of(const MeasuredMetric& metric);

/// What `ncu` is given to collect it by sections: "--section SpeedOfLight --section Occupancy", of which the first has
/// the duration.
[[nodiscard]] std::string section_options(const MeasuredMetric& metric);

}  // namespace sonde::gate
