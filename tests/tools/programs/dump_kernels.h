#pragma once

#include "trace/trace.h"

namespace sonde {

/// Prints the measured launches of a trace, one JSON object per line, each with its "type": "device", "section",
/// "function", "kernel". Unknown values are null, names are strings, instances are [key, value] in the file's order.
void dump_kernels(const Trace& trace);

}  // namespace sonde
