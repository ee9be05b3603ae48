#pragma once

#include "trace/trace.h"

namespace sonde {

/// Prints every view of every measured launch, one JSON object per line: "kernel", "view", and either "error" or "note"
/// and "columns", an array of values by name with all digits. Absent values are null.
void dump_views(const Trace& trace);

}  // namespace sonde
