#pragma once

#include <optional>
#include <vector>

#include "analyses/calls/api_kind.h"
#include "analyses/gpus/busy_time.h"
#include "analyses/gpus/collectives.h"
#include "analyses/gpus/communication.h"
#include "analyses/gpus/gpu_shares.h"
#include "analyses/kernels/kernel_class.h"
#include "analyses/kernels/kernel_join.h"
#include "analyses/measured/measured_launch.h"
#include "analyses/replay/replay.h"
#include "analyses/steps/warm_up.h"

namespace sonde {

/// What rules need to know of a run, computed once.
struct Facts {
  explicit Facts(const Trace& of, std::optional<KernelJoin> measured = std::nullopt);

  const Trace& trace;
  Span run;  ///< first start and last end of all
  std::optional<WarmUp> steps;
  /// The judged time: the steps after the warm-up if steps are found, else the whole run.
  Span extent;
  Gpus gpus;
  GpuShares shares;
  std::vector<ApiKind> api_kinds;                ///< of each row of `api`
  std::vector<KernelClass> kernel_classes;       ///< of each row of `kernels`
  std::vector<CommunicationKind> communication;  ///< of each row of `kernels`
  Collectives collectives;
  std::vector<GpuActivity> activity;  ///< of each GPU
  /// Measurements of the run's kernels by Nsight Compute, if reports were given with the timeline. A rule asks for a
  /// kernel's quantity, `kernels->quantity(row, "achieved_occupancy")`, or for its measured kernels,
  /// `kernels->sample(row)`, whose rows are those of `kernels->reports->kernel_profiles`: metrics, advice, stalls.
  /// Their durations are cold and serialized; times are the timeline's.
  std::optional<KernelJoin> kernels;
  /// Of a kernel report without a timeline. The judged time is then the sum of their durations.
  std::vector<MeasuredLaunch> launches;

  [[nodiscard]] bool is_kernel_report() const { return !launches.empty(); }
  /// Whether a range marks the steps. If only launches repeat, an iteration has no parts to look into.
  [[nodiscard]] bool has_named_steps() const { return steps && steps->thread == kNone; }
  [[nodiscard]] int64_t wall_ns() const { return extent.second - extent.first; }
  [[nodiscard]] bool judged(int64_t start_ns) const { return start_ns >= extent.first && start_ns < extent.second; }
  /// How many of the judged steps have begun by then.
  [[nodiscard]] size_t steps_begun(int64_t time_ns) const;
  /// The number of the judged step that contains a timestamp; kNone outside of them.
  [[nodiscard]] uint32_t step_of(int64_t time_ns) const;
  /// The name of the GPU that a stream is on.
  [[nodiscard]] const std::string& place_of(StreamId stream) const { return gpus.gpus[gpus.of_stream[stream]].place; }
  /// A sum over all GPUs as wall time: the mean over GPUs.
  [[nodiscard]] int64_t per_gpu(int64_t ns) const;
  [[nodiscard]] double percent_of_wall(int64_t ns) const;
  /// The judged wall time that a changed program saves (replay.h).
  [[nodiscard]] int64_t saving_ns(const Change& change) const;

 private:
  mutable std::optional<int64_t> unchanged_end_ns_;  ///< of the replay
};

}  // namespace sonde
