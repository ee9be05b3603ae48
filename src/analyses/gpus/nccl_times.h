#pragma once

#include <string_view>

#include "trace/trace.h"

namespace sonde {

/// How long each of NCCL's operations ran on its GPU: its kernel where that does nothing else, otherwise what the
/// kernel's channels say of it; kUnknown where neither is known. Includes the wait for other ranks.
[[nodiscard]] Times gpu_times_of_operations(const Trace& trace);

/// Of one operation, in bytes a nanosecond, which are gigabytes a second; NaN where size or time are not known.
[[nodiscard]] double algorithm_bandwidth(int64_t bytes, int64_t ns);

/// What the algorithm's bandwidth is multiplied by to have that of a link, as nccl-tests do; NaN where the number of
/// ranks is not known and counts.
[[nodiscard]] double bus_factor_of(std::string_view nccl_function, int64_t ranks);

}  // namespace sonde
