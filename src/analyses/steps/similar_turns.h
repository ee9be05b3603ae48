#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sonde {

/// A launch as similar_turns() sees it.
struct TurnToken {
  uint32_t token = 0;       ///< equal for equal launches
  int64_t host_gap_ns = 0;  ///< of host time since the launch before
};

/// Where the turns of a loop begin whose turns do not launch the same: an inner loop has another number of iterations
/// in each, or one launches more. Each begins with the same launch, of those with the most host time before them, and
/// shares most of its kinds of launches with the one before. The last index is the end of the last turn. Empty where
/// there is no such loop of 5 turns. O(n log n).
[[nodiscard]] std::vector<size_t> similar_turns(std::span<const TurnToken> launches);

}  // namespace sonde
