#pragma once

#include <cstdint>
#include <optional>

namespace sonde {

/// A launch's blocks in waves: a wave is as many blocks as the GPU holds at once.
struct Waves {
  double count = 0;         ///< blocks of the grid / blocks of a wave: Nsight Compute's "waves per SM"
  int64_t full = 0;         ///< whole waves
  int64_t tail_blocks = 0;  ///< blocks of the last wave where that is a partial one
  /// Share of the kernel's time that the last wave leaves idle, (ceil(count) - count) / ceil(count), if blocks are
  /// equally long and waves do not overlap. Absent without a whole wave: such a grid is small and has no tail.
  std::optional<double> tail_percent;
};

/// Absent where one of them is not a positive number.
[[nodiscard]] std::optional<Waves> waves_of(int64_t grid_blocks, int64_t blocks_per_sm, int64_t sm_count);

/// Waves::tail_percent from the count alone, as a kernel profiler gives it.
[[nodiscard]] std::optional<double> tail_percent_of(double waves);

}  // namespace sonde
