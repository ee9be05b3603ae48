#pragma once

#include <string>

#include "trace/trace.h"

namespace sonde {

/// What limits the theoretical occupancy of a measured launch: "registers", "shared memory, warps"; the limits with the
/// fewest blocks. Empty where none was collected.
[[nodiscard]] std::string occupancy_limiter(const Trace& trace, const KernelProfile& kernel);

}  // namespace sonde
