#pragma once

#include "gate/record/run_part.h"

namespace sonde::gate {

/// Fills ranges and dropped_ranges: those that end, but for frames of Python's call stack.
void record_ranges(const RunPart& part, RunRecord& record);

}  // namespace sonde::gate
