#pragma once

#include <string_view>

namespace sonde {

/// The parts of a counter's name, as PerfWorks builds it: "breakdown:sm__inst_executed.avg.per_cycle_active" has prefix
/// "breakdown", hardware unit "sm", counter "sm__inst_executed", rollup "avg" and submetric "per_cycle_active".
/// Views into the name that was split; a part that is not there is empty.
struct MetricName {
  std::string_view prefix;
  std::string_view hardware;   ///< before "__": gpu, gpc, sm, smsp, l1tex, lts, dram, launch, device, derived, ...
  std::string_view counter;    ///< with its hardware unit, without rollup and submetric
  std::string_view rollup;     ///< sum, avg, min, max; for ratios and percentages "ratio", "pct", "max_rate"
  std::string_view submetric;  ///< per_second, per_cycle_active, pct_of_peak_sustained_elapsed, peak_sustained, ...
};

[[nodiscard]] MetricName split_metric_name(std::string_view name);

}  // namespace sonde
