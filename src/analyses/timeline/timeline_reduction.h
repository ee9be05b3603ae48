#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analyses/timeline/timeline.h"

/// A timeline in limited room.
namespace sonde {

/// What begins in each of equal parts of the run, by track and name, in this order. An event counts whole in the tile
/// in which it begins, so that the sums over all tiles are those of the statistics.
struct TileSums {
  int64_t tile_ns = 0;
  size_t tiles = 0;
  Longs track;  ///< index of Timeline::tracks
  Longs name;   ///< of Track::names
  Longs tile;
  Longs count;
  Longs total_ns;
};

/// At most `most_rows` rows; as many tiles as that allows, 4096 at most.
[[nodiscard]] TileSums tile_sums(const Timeline& timeline, size_t most_rows);

struct Reduction {
  std::vector<Span> detailed;     ///< where all slices are there; sorted, disjoint
  std::optional<TileSums> tiles;  ///< absent where nothing was merged
  int64_t merge_below_ns = 0;     ///< slices shorter than this were merged; 0: none
};

/// Slices, and points of counters.
[[nodiscard]] size_t slices_of(const Timeline& timeline);

/// Merges short slices that follow one another until at most `most_slices` are left, or nothing more can be merged;
/// counters keep the ends and extremes of each part. What lies in the spans of `wanted`, the most important first,
/// keeps its slices as long as they are no more than a third. `reduction` is what was done before to the same timeline:
/// it can be reduced further, and its sums by tile are those of the first time.
void reduce(Timeline& timeline, std::span<const Span> wanted, size_t most_slices, Reduction& reduction);

}  // namespace sonde
