#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analyses/calls/api_kind.h"
#include "analyses/gpus/busy_time.h"
#include "trace/trace.h"

namespace sonde {

inline constexpr double kMaxLostShare = 0.01;
/// Fewer are calls that failed, or whose kernels ran after the recording ended.
inline constexpr int64_t kMinLostLaunches = 10;

/// Launches of kernels and graphs, as rows of `api`, without those that a stream capture records into a graph.
struct RecordedLaunches {
  std::vector<Row> all;
  std::vector<Row> without_work;  ///< their kernel or graph is not in the profile
};
[[nodiscard]] RecordedLaunches recorded_launches(const Trace& trace, std::span<const ApiKind> kinds);

struct LaunchCounts {
  int64_t all = 0;
  int64_t without_work = 0;
  /// Part of all launches that have no work; 0 if they are too few to matter.
  [[nodiscard]] double lost_share() const;
};
[[nodiscard]] LaunchCounts launches_in(const Trace& trace, const RecordedLaunches& launches, Span time);

/// What the end of a recording cuts off while the GPU is behind the host.
struct WindowCut {
  int64_t launches = 0;  ///< whose work had not run when the recording ended
  int64_t start_ns = 0;  ///< of the first of them: all launches before have their work
};

/// The cut of a recording that ends within a running program; absent if too little of `judged` is cut off to matter. A
/// launch without work is cut off if no later launch of the thread has work, for one of the thread's streams, and this
/// stream was busy until the recording ended. Launches without work anywhere else lost their records.
[[nodiscard]] std::optional<WindowCut> window_cut(const Trace& trace, const RecordedLaunches& launches, Span judged);

}  // namespace sonde
