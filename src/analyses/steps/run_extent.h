#pragma once

#include <optional>

#include "analyses/gpus/busy_time.h"
#include "trace/trace.h"

namespace sonde {

/// First start and last end of what happened on GPUs, in API calls, ranges, synchronizations, OS and library calls, as
/// far as they were read; bookkeeping such as samples and diagnostics may lie outside. [0, 0) of an empty trace.
[[nodiscard]] Span run_extent(const Trace& trace);

/// First start and last end of what happened on GPUs; absent where nothing did.
[[nodiscard]] std::optional<Span> gpu_extent(const Trace& trace);

}  // namespace sonde
