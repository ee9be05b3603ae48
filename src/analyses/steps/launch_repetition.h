#pragma once

#include <optional>
#include <vector>

#include "analyses/steps/launched_work.h"

namespace sonde {

/// A sequence of launches that a thread makes again and again: the steps of a program without ranges.
struct LaunchRepetition {
  ThreadId thread = kNone;
  size_t launches = 0;      ///< calls of a turn; of a usual one where they differ
  bool varies = false;      ///< turns have about as many calls
  Row first_call = kNone;   ///< of `api`, one that a turn begins with: the one that the host takes longest to come to
  std::vector<Span> turns;  ///< host time from the first launch of each to that of the next
};

/// Of the calls of a thread in a window of host time, the loop with the most GPU time. Its turns launch the same, but
/// for 1 launch of 20, or, where no such loop has half of the GPU time, begin with the same launch and are alike in
/// most others. The shortest sequence counts unless a longer one fits clearly better (a step against a layer of its
/// model). It has 5 turns at least; the last turn, whose end is not known, is left out where that leaves 5. Absent
/// where nothing repeats. O(n log n).
[[nodiscard]] std::optional<LaunchRepetition> find_launch_repetition(const Launches& launches, ThreadId thread,
                                                                     const Span& window);

}  // namespace sonde
