#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// Metrics of the gate that a kernel profiler's counters give.
namespace sonde::gate {

enum class LaunchFold : uint8_t {
  mean,  ///< weighted by the launches' durations
  sum,
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
