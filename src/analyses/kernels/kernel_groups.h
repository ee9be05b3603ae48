#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "trace/trace.h"

namespace sonde {

/// One launch of a kernel: measured by a kernel profiler, or seen on a timeline.
struct KernelLaunch {
  const Trace* trace = nullptr;
  const KernelProfile* profile = nullptr;  ///< nullptr: a row of the timeline
  Row row = kNone;                         ///< of Trace::kernels
  /// The number by which --kernel knows it: that of the report; on a timeline that of its shape, from 0, the shape that
  /// took most time first.
  int64_t id = kUnknown;

  [[nodiscard]] NameId name() const;
  [[nodiscard]] Dim3 grid() const;   ///< blocks
  [[nodiscard]] Dim3 block() const;  ///< threads
  /// Absent where a profiler did not measure it.
  [[nodiscard]] std::optional<double> duration_ns() const;
  [[nodiscard]] std::optional<double> registers_per_thread() const;
  [[nodiscard]] std::optional<double> shared_bytes() const;  ///< static and dynamic, a block
};

/// What tells one group of launches from another. All false: every launch is a group of its own.
struct KernelGrouping {
  bool name = false;
  bool grid = false;
  bool block = false;
  bool registers = false;
  bool shared = false;
};

/// The launches that occupy a GPU alike.
inline constexpr KernelGrouping kByShape{.name = true, .grid = true, .block = true, .registers = true, .shared = true};

/// Reads "name,grid,block,registers,shared" or a part of it; "launch" keeps every launch for itself.
[[nodiscard]] Result<KernelGrouping> parse_kernel_grouping(std::string_view text);

struct KernelGroup {
  std::vector<KernelLaunch> launches;  ///< in the order of the file
  double duration_ns = 0;              ///< of all that have one
  bool measured = false;               ///< whether any launch has a duration
  size_t longest = 0;                  ///< the launch that took longest

  /// The launch that stands for the group where values can be neither summed nor averaged: the longest.
  [[nodiscard]] const KernelLaunch& representative() const { return launches[longest]; }
};

/// All launches that a trace tells of. A trace with kernel reports gives those only: their times are taken one by one,
/// with cold caches, and do not add to a timeline's.
[[nodiscard]] std::vector<KernelLaunch> kernel_launches(const Trace& trace);

/// The groups in the order of their time, the most first; of equal time, in the order of the file.
[[nodiscard]] std::vector<KernelGroup> group_kernels(const std::vector<KernelLaunch>& launches,
                                                     const KernelGrouping& grouping);

}  // namespace sonde
