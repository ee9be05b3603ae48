#pragma once

#include <nlohmann/json.hpp>

#include "trace/trace.h"

namespace sonde {

/// The metrics of a kernel report that `sonde gate` judges, over all its kernels, by name and unit
/// ("sm_throughput_percent"): the gate's own values. Null where a launch lacks the counter.
[[nodiscard]] nlohmann::ordered_json kernel_metrics_json(const Trace& trace);

}  // namespace sonde
