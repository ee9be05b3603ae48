#pragma once

#include <optional>
#include <vector>

#include "analyses/gpus/busy_time.h"
#include "trace/trace.h"

namespace sonde {

/// A sequence of kernels that a thread launches again and again: the steps of a program without ranges.
struct LaunchRepetition {
  ThreadId thread = kNone;
  size_t launches = 0;      ///< of a turn
  NameId first = kNone;     ///< the kernel that a turn begins with: the one that the host takes longest to come to
  std::vector<Span> turns;  ///< host time from the first launch of each to that of the next; the last one is left out
};

/// Of the thread that launches most. The shortest sequence of 2 launches or more counts that 19 of 20 launches follow,
/// the first tenth of the launches not counted, and that makes 5 turns at least. Absent where there is none, or without
/// API calls and launches. With `rank` only that rank's threads are looked at. O(n log n).
[[nodiscard]] std::optional<LaunchRepetition> find_launch_repetition(const Trace& trace, RankId rank = kNone);

}  // namespace sonde
