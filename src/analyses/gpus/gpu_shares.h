#pragma once

#include "analyses/gpus/busy_time.h"
#include "analyses/gpus/gpus.h"
#include "trace/trace.h"

namespace sonde {

/// How a GPU's time is shared out: a nanosecond in which n operations of a GPU run gives each 1/n of it, so that the
/// shares of a GPU's operations sum exactly to the union of their times.
struct GpuShares {
  Longs kernels;  ///< nanoseconds for each row of the table
  Longs copies;
  Longs sets;
  Longs graph_launches;
  Longs busy_ns;  ///< for each GPU the union, which is the sum of its shares

  /// The shares of one of the trace's tables.
  [[nodiscard]] const Longs& of(const Trace& trace, const GpuOps& table) const;
};

/// Needs the fields kGpuWork and streams. Each share is the exact one, rounded so that the sums are exact: less than a
/// nanosecond off. O(n log n) however many operations overlap.
[[nodiscard]] GpuShares share_gpu_time(const Trace& trace, const Gpus& gpus);
/// The same of the time within `extent`, as if nothing had run outside of it.
[[nodiscard]] GpuShares share_gpu_time(const Trace& trace, const Gpus& gpus, Span extent);

}  // namespace sonde
