#pragma once

#include "gate/record/run_record.h"
#include "trace/trace.h"

namespace sonde::gate {

/// Fills shapes, measures and GPUs from the launches that a kernel profiler measured. It has no extent.
void record_report(const Trace& trace, RunRecord& record);

}  // namespace sonde::gate
