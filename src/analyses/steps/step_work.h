#pragma once

#include <span>
#include <vector>

#include "analyses/gpus/busy_time.h"
#include "analyses/gpus/gpus.h"
#include "analyses/steps/warm_up.h"
#include "trace/trace.h"

namespace sonde {

/// What a rank did within one of its steps.
struct StepWork {
  int64_t gpu_busy_ns = 0;  ///< within the step's time, summed over the rank's GPUs: idle time is the rest
  int64_t kernels = 0;      ///< that began in it, on a GPU; as are copies
  int64_t launches = 0;     ///< API calls that put operations on a GPU and began in it
  int64_t copy_bytes = 0;   ///< as far as the copies tell
};

/// For each of the rank's steps, which do not overlap. Needs kGpuWork and streams; launches are 0 without the fields
/// api and launches. O(n log n).
[[nodiscard]] std::vector<StepWork> work_of_steps(const Trace& trace, const Gpus& gpus, const RankTurns& turns);

}  // namespace sonde
