#pragma once

#include <optional>

#include "gate/record/run_record.h"
#include "trace/trace.h"

namespace sonde::gate {

[[nodiscard]] Recorded recorded_of(const Trace& trace);

/// RunRecord::avg_kernel_ns. Absent without kernels.
[[nodiscard]] std::optional<double> mean_kernel_ns(const Trace& trace);

}  // namespace sonde::gate
