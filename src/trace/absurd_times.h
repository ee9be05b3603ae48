#pragma once

#include <cstddef>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// Removes times that cannot belong to the recording, such as one in the next year, from the rank that was read last,
/// whose rows begin at `first`: events that begin or end far outside of it, and of ranges that end there only the end.
/// The import log counts them. Before the rank is aligned, and before link().
void drop_absurd_times(Trace& trace, const std::vector<size_t>& first);

}  // namespace sonde
