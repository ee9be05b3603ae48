#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyses/steps/loops.h"
#include "trace/trace.h"

namespace sonde {

/// What repeats in a run, and whether its first turns were slower than the rest.
struct WarmUp {
  std::string range;        ///< the range that repeats; a number in its name is written '#'. Where launches repeat
                            ///< without a range: "12 launches from KERNEL"
  ThreadId thread = kNone;  ///< whose launches repeat; kNone where a range repeats
  int64_t iterations = 0;
  int64_t slow_iterations = 0;  ///< how many at the beginning took clearly longer; 0: no warm-up was seen
  double median_ns = 0;         ///< of the iterations after them
  double slow_mean_ns = 0;      ///< of the slow ones; 0 where there are none
  /// Start and end of each iteration after them. Where the host runs far ahead, the times are those of the GPUs
  /// (times_of_turns()).
  std::vector<std::pair<int64_t, int64_t>> steady;
  std::vector<std::pair<int64_t, int64_t>> launched;  ///< when the host launched each of them; else as `steady`
};

/// The iterations of a loop. Iterations at the beginning are a warm-up if they take clearly longer than those after
/// them, are fewer than these, and these keep their length: a program whose work shrinks has none.
[[nodiscard]] WarmUp warm_up_of(const Launches& launches, const Loop& loop);

/// Of the whole run's loop (LoopFinder). Absent where there is none.
[[nodiscard]] std::optional<WarmUp> find_warm_up(const Trace& trace);

/// The turns of one rank that count.
struct RankTurns {
  RankId rank = 0;
  std::vector<std::pair<int64_t, int64_t>> steady;    ///< start and end of each; no two overlap
  std::vector<std::pair<int64_t, int64_t>> launched;  ///< when the host launched each
};

/// Of each rank its own turns of what find_warm_up() found over all, without as many at the beginning as it found slow,
/// so that the n-th of one rank is the n-th of the others. Ranks in which it does not repeat are not there.
[[nodiscard]] std::vector<RankTurns> turns_by_rank(const Trace& trace, const WarmUp& found);

/// A range that was recorded 2 to 4 times, one turn after the other over most of the run, and still took clearly less
/// time in the last turn than in the one before: too few turns to be past the warm-up. Absent otherwise.
[[nodiscard]] std::optional<WarmUp> unfinished_warm_up(const Trace& trace);

}  // namespace sonde
