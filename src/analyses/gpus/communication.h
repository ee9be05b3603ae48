#pragma once

#include <vector>

#include "analyses/gpus/busy_time.h"
#include "analyses/gpus/communication_kind.h"
#include "analyses/gpus/gpus.h"

namespace sonde {

/// When a GPU did what, as merged spans.
struct GpuActivity {
  std::vector<Span> compute;        ///< kernels that do not communicate, and graph launches that were traced as a whole
  std::vector<Span> communication;  ///< kernels that communicate, and copies from one GPU to another
  std::vector<Span> copies;         ///< other copies, and sets
};

/// Of each GPU. Reads kGpuWork and streams. O(n log n).
[[nodiscard]] std::vector<GpuActivity> gpu_activity(const Trace& trace, const Gpus& gpus,
                                                    const std::vector<CommunicationKind>& kinds);

/// For each GPU, how long its own work ran within `extent`: computing, copies and sets, not waiting for other GPUs.
[[nodiscard]] std::vector<int64_t> own_work_ns(const std::vector<GpuActivity>& activity, Span extent);

/// Where the time of a GPU went, each an exact union of spans:
/// total = compute + exposed communication + exposed copies + idle.
struct TimeBreakdown {
  int64_t total_ns = 0;  ///< from its first operation to its last
  int64_t compute_ns = 0;
  int64_t communication_ns = 0;
  int64_t overlap_ns = 0;                ///< compute and communication at once
  int64_t exposed_communication_ns = 0;  ///< communication, and no compute beside it
  int64_t exposed_copies_ns = 0;         ///< copies and sets, and neither compute nor communication beside them
  int64_t busy_ns = 0;                   ///< anything at all
  int64_t idle_ns = 0;                   ///< total less busy

  TimeBreakdown& operator+=(const TimeBreakdown& other);
};

[[nodiscard]] TimeBreakdown break_down(const GpuActivity& activity);

}  // namespace sonde
