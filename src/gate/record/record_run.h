#pragma once

#include "gate/record/run_record.h"
#include "trace/trace.h"

namespace sonde::gate {

/// What record_run() reads.
[[nodiscard]] Fields record_fields();

/// A timeline, or a kernel profiler's report (whose record has shapes, measures and conditions, and no extent).
[[nodiscard]] RunRecord record_run(const Trace& trace);

}  // namespace sonde::gate
