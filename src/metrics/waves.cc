#include "metrics/waves.h"

#include <cmath>
#include <limits>

namespace sonde {

std::optional<Waves> waves_of(int64_t grid_blocks, int64_t blocks_per_sm, int64_t sm_count) {
  if (grid_blocks <= 0 || blocks_per_sm <= 0 || sm_count <= 0) return std::nullopt;
  if (sm_count > std::numeric_limits<int64_t>::max() / blocks_per_sm) return std::nullopt;
  const int64_t of_wave = blocks_per_sm * sm_count;
  Waves waves;
  waves.count = static_cast<double>(grid_blocks) / static_cast<double>(of_wave);
  waves.full = grid_blocks / of_wave;
  waves.tail_blocks = grid_blocks % of_wave;
  if (waves.full == 0) return waves;
  const int64_t idle = waves.tail_blocks == 0 ? 0 : of_wave - waves.tail_blocks;
  const int64_t all = waves.full + (waves.tail_blocks == 0 ? 0 : 1);
  waves.tail_percent = 100 * static_cast<double>(idle) / static_cast<double>(of_wave) / static_cast<double>(all);
  return waves;
}

std::optional<double> tail_percent_of(double waves) {
  if (!(waves >= 1)) return std::nullopt;
  return 100 * (std::ceil(waves) - waves) / std::ceil(waves);
}

}  // namespace sonde
