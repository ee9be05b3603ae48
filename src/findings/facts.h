#pragma once

#include <optional>
#include <vector>

#include "analyses/api_kind.h"
#include "analyses/busy_time.h"
#include "analyses/collectives.h"
#include "analyses/communication.h"
#include "analyses/gpu_shares.h"
#include "analyses/warm_up.h"

namespace sonde {

/// What rules ask of a run, worked out once.
struct Facts {
  explicit Facts(const Trace& run);

  const Trace& trace;
  std::optional<WarmUp> steps;
  /// What is judged: the steps after the warm-up, where steps are found, else the whole run.
  Span extent;
  Gpus gpus;
  GpuShares shares;
  std::vector<ApiKind> api_kinds;                ///< of each row of `api`
  std::vector<CommunicationKind> communication;  ///< of each row of `kernels`
  Collectives collectives;
  std::vector<GpuActivity> activity;  ///< of each GPU

  [[nodiscard]] int64_t wall_ns() const { return extent.second - extent.first; }
  [[nodiscard]] bool judged(int64_t start_ns) const { return start_ns >= extent.first && start_ns < extent.second; }
  /// A sum over all GPUs as wall time: GPUs idle side by side.
  [[nodiscard]] int64_t per_gpu(int64_t ns) const;
  [[nodiscard]] double percent_of_wall(int64_t ns) const;

 private:
  Facts(const Trace& run, Span whole);
};

}  // namespace sonde
