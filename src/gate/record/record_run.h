#pragma once

#include "gate/record/run_record.h"
#include "trace/trace.h"

namespace sonde::gate {

/// What record_run() reads.
[[nodiscard]] Fields record_fields();

/// A timeline, or a kernel profiler's report (whose record has shapes, measures and conditions, and no extent).
/// Of the steps after the warm-up where there are any, else of the whole run.
[[nodiscard]] RunRecord record_run(const Trace& trace);

/// For `sonde compare`: of this part, with the checks that the run does not pass. Without steps those are from the
/// first GPU work to the last, since what comes before and after is another matter than why the GPU's work takes its
/// time.
[[nodiscard]] RunRecord record_part(const Trace& trace, PartOfRun part);

}  // namespace sonde::gate
