#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

/// Which launches of a timeline a kernel profiler measured, in another run of the same program.
/// docs/profiles/modules.md.
namespace sonde {

/// The measured kernels whose mean stands for a launch of the timeline.
struct KernelSample {
  Ids profiles;      ///< rows of the reports' Trace::kernel_profiles, at least one
  bool own = false;  ///< they are the launch itself, by its place in the order; else launches like it
};

/// How far a kernel of one side found its like on the other.
enum class JoinGap : uint8_t { name, configuration, range };

/// Kernels of one function and configuration that the other side has not.
struct UnmatchedKernel {
  std::string_view name;
  Dim3 grid{};
  Dim3 block{};
  JoinGap gap = JoinGap::name;  ///< what the other side lacks first
  int64_t count = 0;
  int64_t duration_ns = 0;  ///< on the timeline; 0 for kernels of the reports
};

struct JoinCounts {
  int64_t launches = 0;  ///< on the timeline
  int64_t matched_launches = 0;
  int64_t own_launches = 0;  ///< of the matched, those whose own measurement is known
  int64_t launches_ns = 0;   ///< sum of durations on the timeline
  int64_t matched_launches_ns = 0;
  int64_t measured = 0;  ///< in the reports
  int64_t matched_measured = 0;
};

/// Each function, configuration and place in the ranges is a group of launches and of measured kernels. What was
/// measured holds for the launches of its group only. Both traces must outlive it.
struct KernelJoin {
  const Trace* timeline = nullptr;
  const Trace* reports = nullptr;
  std::vector<KernelSample> samples;
  Ids sample_of;  ///< row of `samples` for each row of the timeline's kernels, kNone where nothing like it was measured
  JoinCounts counts;
  std::vector<UnmatchedKernel> unmatched_launches;  ///< the most time first
  std::vector<UnmatchedKernel> unmatched_measured;  ///< in the order of the reports

  /// nullptr for a launch that was not measured.
  [[nodiscard]] const KernelSample* sample(Row launch) const {
    return sample_of[launch] == kNone ? nullptr : &samples[sample_of[launch]];
  }
  /// A quantity (metrics/quantities.h) of a launch: the mean over its sample, absent where it was not collected.
  [[nodiscard]] std::optional<double> quantity(Row launch, std::string_view name) const;
};

/// What the timeline must have been read with, beside times and names of kernels.
[[nodiscard]] Fields kernel_join_fields();

/// Matches by function (number_functions()); by grid and block, registers and shared memory, as far as all kernels of
/// the function tell them; by the push/pop ranges around the launching call, their names without numbers, those that
/// only one side has being looked through; then by order: where a report has as many kernels of a group as the
/// timeline, each from one thread, the first is the first and so on. Else a launch's sample is those kernels of its
/// group whose ranges have the same names, numbers included, from the inside out as far as any do. Deterministic:
/// nothing depends on times but the order of launches.
[[nodiscard]] KernelJoin join_kernels(const Trace& timeline, const Trace& reports);

}  // namespace sonde
