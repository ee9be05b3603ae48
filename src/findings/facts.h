#pragma once

#include <optional>
#include <vector>

#include "analyses/api_kind.h"
#include "analyses/gpu_shares.h"
#include "analyses/idle_totals.h"
#include "analyses/warm_up.h"

namespace sonde {

/// What rules ask of a run, worked out once.
struct Facts {
  explicit Facts(const Trace& run);

  const Trace& trace;
  Span extent;
  Gpus gpus;
  GpuShares shares;
  IdleTotals idle;
  std::vector<ApiKind> api_kinds;  ///< of each row of `api`
  std::optional<WarmUp> steps;

  [[nodiscard]] int64_t wall_ns() const { return extent.second - extent.first; }
  /// A sum over all GPUs as wall time: GPUs idle side by side.
  [[nodiscard]] int64_t per_gpu(int64_t ns) const;
  [[nodiscard]] double percent_of_wall(int64_t ns) const;
};

}  // namespace sonde
