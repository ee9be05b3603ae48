#pragma once

#include "synth/program.h"
#include "trace/trace.h"

namespace sonde::synth {

/// Adds what a sampling of the GPUs' counters would have shown of a linked trace: for each GPU the share of each period
/// in which an SM was active, and the share of the memory's bandwidth that was used. Counters 2g and 2g + 1 are GPU
/// g's.
void add_utilization(const Program& program, Trace& trace);

/// How many rows that makes for a run of this length.
[[nodiscard]] int64_t utilization_rows(const Program& program, int64_t total_ns);

}  // namespace sonde::synth
