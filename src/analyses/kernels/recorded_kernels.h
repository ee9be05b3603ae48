#pragma once

#include "trace/trace.h"

namespace sonde {

/// Adds to kernels that Sonde measured itself what a report of Nsight Compute has beside counters: theoretical
/// occupancy, its limits and waves by formula (docs/profiles/occupancy.md), and the sections that their metrics fill.
void complete_recorded_kernels(Trace& trace);

}  // namespace sonde
