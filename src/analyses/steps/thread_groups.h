#pragma once

#include <vector>

#include "analyses/gpus/gpus.h"
#include "trace/trace.h"

namespace sonde {

/// Threads that put work on the same GPU, by number; kNone for threads that launch nothing.
[[nodiscard]] std::vector<uint32_t> groups_of_threads(const Trace& trace, const Gpus& gpus);

}  // namespace sonde
