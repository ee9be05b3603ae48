#pragma once

#include "trace/trace.h"

namespace sonde {

/// Prints what a trace holds of measured launches, a JSON object a line, each with its "type": "device", "section",
/// "function", "kernel". What is not known is null, names are texts, instances are [key, value] in the file's order.
void dump_kernels(const Trace& trace);

}  // namespace sonde
