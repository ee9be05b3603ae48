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
#include "analyses/operators/operator_calls.h"
#include "analyses/replay/replay.h"
#include "analyses/replay/without_recorder.h"
#include "analyses/steps/run_parts.h"
#include "base/system/later.h"
#include "findings/recorded_launches.h"

namespace sonde {

/// Fewer steps are not judged.
inline constexpr size_t kMinSteadySteps = 3;
/// If the recording's window leaves less of the time, nothing is judged.
inline constexpr double kMinUncutPart = 0.1;

/// What rules need to know of a run, computed once. Safe to read from several threads.
struct Facts {
  /// `without` is what take_out_recorder() did to the trace.
  explicit Facts(const Trace& of, std::optional<KernelJoin> measured = std::nullopt,
                 std::optional<WithoutRecorder> without = std::nullopt);

  const Trace& trace;
  RunParts parts;
  Span run;                        ///< first start and last end of all
  std::vector<ApiKind> api_kinds;  ///< of each row of `api`
  RecordedLaunches launched;
  /// The judged part, the first of `parts` until look_at(): its steps after the warm-up, else its GPU work; without
  /// what the window cuts off, unless too little is left.
  std::optional<WarmUp> steps;
  Span extent;
  std::optional<WindowCut> cut;  ///< what the recording's window cuts off that time
  Gpus gpus;
  GpuShares shares;
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
  /// Where the recorder's own cost is known: all times here are those of the run without it.
  std::optional<WithoutRecorder> recorder;

  /// Judges another part of the run.
  void look_at(const JudgedPart& part);
  [[nodiscard]] bool is_kernel_report() const { return !launches.empty(); }
  [[nodiscard]] bool has_gpu_work() const { return !gpus.gpus.empty() || is_kernel_report(); }
  /// Whether a range marks the steps. If only launches repeat, an iteration has no parts to look into.
  [[nodiscard]] bool has_named_steps() const { return steps && steps->thread == kNone; }
  [[nodiscard]] int64_t wall_ns() const { return extent.second - extent.first; }
  /// The time in which launches must have their work: without steps the whole run, whose GPU work may lack an end.
  [[nodiscard]] Span launching_time() const {
    return steps ? extent : Span{run.first, cut && is_whole() ? cut->start_ns : run.second};
  }
  [[nodiscard]] bool judged(int64_t start_ns) const { return start_ns >= extent.first && start_ns < extent.second; }
  /// The same of what the host does then: where it runs ahead of the GPU, it launched the judged steps earlier.
  [[nodiscard]] bool judged_on_host(int64_t start_ns) const;
  /// Whether the judged time is without what the window cuts off.
  [[nodiscard]] bool is_whole() const { return !cut || extent.second <= cut->start_ns; }
  /// How many of the judged steps have begun by then.
  [[nodiscard]] size_t steps_begun(int64_t time_ns) const;
  /// The number of the judged step that contains a timestamp; kNone outside of them.
  [[nodiscard]] uint32_t step_of(int64_t time_ns) const;
  /// The name of the GPU that a stream is on.
  [[nodiscard]] const std::string& place_of(StreamId stream) const { return gpus.gpus[gpus.of_stream[stream]].place; }
  /// A kernel as people name it (brief_kernel_name.h).
  [[nodiscard]] std::string kernel_name(Row kernel) const;
  /// A sum over all GPUs as wall time: the mean over GPUs.
  [[nodiscard]] int64_t per_gpu(int64_t ns) const;
  [[nodiscard]] double percent_of_wall(int64_t ns) const;
  /// The time in which GPUs work on what starts in the judged time, a sum over GPUs.
  [[nodiscard]] int64_t judged_busy_ns() const;
  /// The judged wall time that a changed program saves (replay.h).
  [[nodiscard]] int64_t saving_ns(const Change& change) const;
  /// The operators of the whole run whose input shapes were recorded.
  [[nodiscard]] const OperatorCalls& operators() const;
  /// When something was recorded that happens at a time of the run as it is judged.
  [[nodiscard]] int64_t recorded_time(int64_t time_ns) const {
    return recorder ? recorder->recorded.at(time_ns) : time_ns;
  }

 private:
  /// Finds `cut`, and takes it out of `steps` and `extent`.
  void leave_out_cut();

  /// Replays of `extent`, and when it ends in them without a change.
  struct OfExtent {
    Replays replays;
    int64_t unchanged_end_ns;
  };
  [[nodiscard]] OfExtent replay_extent() const;

  mutable Later<OfExtent> replayed_;
  mutable Later<OperatorCalls> operators_;
};

}  // namespace sonde
