#pragma once

#include <cstdint>
#include <optional>

#include "metrics/occupancy.h"
#include "metrics/waves.h"
#include "trace/trace.h"

namespace sonde {

/// How a kernel of a timeline fits its GPU. docs/profiles/occupancy.md says what is exact.
struct LaunchOccupancy {
  LaunchShape shape;
  Occupancy occupancy;
  std::optional<Waves> waves;  ///< absent where the SMs that the launch may use are not known
};

/// What occupancy_of_row() reads of the trace.
[[nodiscard]] constexpr Fields launch_occupancy_fields() {
  return {Field::kernels, Field::kernel_grid, Field::kernel_resources, Field::streams};
}

/// What the recording says of a kernel's use of an SM.
struct LaunchResources {
  std::optional<int64_t> registers_per_thread;
  std::optional<int64_t> shared_bytes;     ///< static and dynamic, a block
  std::optional<int64_t> carve_out_bytes;  ///< shared memory of an SM
  std::optional<int64_t> cluster_blocks;
  friend bool operator==(const LaunchResources&, const LaunchResources&) = default;
};
[[nodiscard]] LaunchResources resources_of_row(const Trace& trace, Row kernel);

/// What a kernel asked for. Absent where the recording lacks its block size, registers or shared memory.
[[nodiscard]] std::optional<LaunchShape> shape_of_row(const Trace& trace, Row kernel);
/// Blocks of the grid; absent where it is not known or too large for any GPU.
[[nodiscard]] std::optional<int64_t> grid_blocks_of_row(const Trace& trace, Row kernel);
/// Threads of a block, likewise.
[[nodiscard]] std::optional<int64_t> block_threads_of_row(const Trace& trace, Row kernel);
/// The limits of the GPU behind a stream. A green context has some of the SMs only: their number is absent.
[[nodiscard]] std::optional<SmLimits> limits_of_stream(const Trace& trace, StreamId stream);

/// Absent where shape or limits are not known, or contradict each other: a kernel that ran had room for a block.
[[nodiscard]] std::optional<LaunchOccupancy> occupancy_of_row(const Trace& trace, Row kernel);
/// The same with limits found before.
[[nodiscard]] std::optional<LaunchOccupancy> occupancy_of_row(const Trace& trace, Row kernel,
                                                              const std::optional<SmLimits>& limits);

}  // namespace sonde
