#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// Duration of a launch that a kernel profiler measured; 0 where the report does not tell it.
[[nodiscard]] int64_t measured_duration_ns(const Trace& trace, const KernelProfile& profile);

/// Durations of all kernels of a run: of those that ran on its timeline; of a kernel report, which has none, those of
/// the launches that were measured. `avg_kernel_time` of `sonde summary --json` and of the gate is their mean.
[[nodiscard]] std::vector<int64_t> kernel_durations(const Trace& trace);

}  // namespace sonde
