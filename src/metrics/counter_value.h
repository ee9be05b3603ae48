#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "trace/trace.h"

/// What a hardware counter says of one launch, in whichever of its forms the report has it. `counter` is a name without
/// rollup and submetric: "dram__bytes", "smsp__sass_thread_inst_executed_op_ffma_pred_on".
/// docs/profiles/kernel_views.md.
namespace sonde {

/// The first of these metrics that has a number.
[[nodiscard]] std::optional<double> first_number(const Trace& trace, const KernelProfile& kernel,
                                                 std::initializer_list<std::string_view> names);

/// gpu__time_duration.sum
[[nodiscard]] std::optional<double> duration_s(const Trace& trace, const KernelProfile& kernel);

/// Clock of the hardware unit of a counter, in Hz; that of the SMs replaces SM sub-partitions and L1.
[[nodiscard]] std::optional<double> clock_hz(const Trace& trace, const KernelProfile& kernel, std::string_view counter);

/// Over all units of the GPU and the whole launch: `.sum`, else the rate times the duration.
[[nodiscard]] std::optional<double> counter_total(const Trace& trace, const KernelProfile& kernel,
                                                  std::string_view counter);
/// `.sum.per_second`, else `.sum.per_cycle_elapsed` times the clock, else `.sum` divided by the duration.
[[nodiscard]] std::optional<double> counter_per_second(const Trace& trace, const KernelProfile& kernel,
                                                       std::string_view counter);
/// The most that the GPU sustains: `.sum.peak_sustained` (per cycle) times the clock, else the rate over its share of
/// the peak where both were collected.
[[nodiscard]] std::optional<double> counter_peak_per_second(const Trace& trace, const KernelProfile& kernel,
                                                            std::string_view counter);
/// Share of that peak: `.pct_of_peak_sustained_elapsed` of sum or avg, which are the same, else rate over peak.
[[nodiscard]] std::optional<double> counter_percent_of_peak(const Trace& trace, const KernelProfile& kernel,
                                                            std::string_view counter);

/// `value` times `factor`; absent stays absent.
[[nodiscard]] inline std::optional<double> scaled(std::optional<double> value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

}  // namespace sonde
