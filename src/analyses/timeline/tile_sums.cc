#include <algorithm>
#include <numeric>

#include "analyses/timeline/timeline_reduction.h"
#include "base/system/parallel.h"

namespace sonde {
namespace {

constexpr size_t kMaxTiles = 4096;

struct Cell {
  uint32_t name = 0;
  uint32_t tile = 0;
  int64_t count = 0;
  int64_t total_ns = 0;
};

bool same_place(const Cell& a, const Cell& b) { return a.name == b.name && a.tile == b.tile; }

/// Makes one of neighbours of the same name and tile.
void add_up(std::vector<Cell>& cells) {
  size_t kept = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (kept > 0 && same_place(cells[kept - 1], cells[i])) {
      cells[kept - 1].count += cells[i].count;
      cells[kept - 1].total_ns += cells[i].total_ns;
    } else {
      cells[kept++] = cells[i];
    }
  }
  cells.resize(kept);
}

/// The cells of a track, by name and tile.
std::vector<Cell> cells_of(const Track& track, int64_t origin_ns, int64_t tile_ns) {
  std::vector<Cell> cells;
  std::vector<size_t> last_of_name(track.names.size(), SIZE_MAX);
  const TrackSlices& s = track.slices;
  for (size_t i = 0; i < s.start.size(); ++i) {
    const auto tile = static_cast<uint32_t>((s.start[i] - origin_ns) / tile_ns);
    const int64_t duration = s.end[i] - s.start[i];
    size_t& last = last_of_name[s.name[i]];
    if (last != SIZE_MAX && cells[last].tile == tile) {
      ++cells[last].count;
      cells[last].total_ns += duration;
    } else {
      last = cells.size();
      cells.push_back({s.name[i], tile, 1, duration});
    }
  }
  std::ranges::sort(cells, {}, [](const Cell& c) { return std::pair(c.name, c.tile); });
  add_up(cells);
  return cells;
}

size_t rows_of(const std::vector<std::vector<Cell>>& cells) {
  return std::accumulate(cells.begin(), cells.end(), size_t{0},
                         [](size_t sum, const auto& c) { return sum + c.size(); });
}

/// Tiles of twice the length.
void halve(std::vector<Cell>& cells) {
  for (Cell& cell : cells) cell.tile /= 2;
  add_up(cells);
}

}  // namespace

TileSums tile_sums(const Timeline& timeline, size_t most_rows) {
  TileSums sums;
  const Span extent = timeline.extent;
  sums.tiles = kMaxTiles;
  sums.tile_ns = (extent.second - extent.first) / static_cast<int64_t>(kMaxTiles) + 1;
  std::vector<std::vector<Cell>> cells(timeline.tracks.size());
  parallel_for(cells.size(), [&](size_t t) { cells[t] = cells_of(timeline.tracks[t], extent.first, sums.tile_ns); });
  while (sums.tiles > 1 && rows_of(cells) > most_rows) {
    for (auto& of_track : cells) halve(of_track);
    sums.tile_ns *= 2;
    sums.tiles /= 2;
  }
  for (size_t t = 0; t < cells.size(); ++t) {
    for (const Cell& cell : cells[t]) {
      sums.track.push_back(static_cast<int64_t>(t));
      sums.name.push_back(cell.name);
      sums.tile.push_back(cell.tile);
      sums.count.push_back(cell.count);
      sums.total_ns.push_back(cell.total_ns);
    }
  }
  return sums;
}

}  // namespace sonde
