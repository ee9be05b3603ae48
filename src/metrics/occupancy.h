#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "metrics/sm_limits.h"

/// How much of a GPU a launch can occupy, by arithmetic from its shape: no counters needed. docs/profiles/occupancy.md.
namespace sonde {

/// What a launch asks for.
struct LaunchShape {
  int64_t threads_per_block = 0;
  int64_t registers_per_thread = 0;
  int64_t shared_bytes = 0;                    ///< static and dynamic, a block
  std::optional<int64_t> driver_shared_bytes;  ///< a block; absent: what the GPU reserves
  std::optional<int64_t> carve_out_bytes;      ///< shared memory of an SM in this launch; absent: the greatest
  std::optional<int64_t> barriers;             ///< a block
  std::optional<int64_t> cluster_blocks;       ///< absent: no cluster, or not known
};

enum class OccupancyLimit : uint8_t { registers, shared_memory, warps, blocks, barriers };
/// "shared memory"
[[nodiscard]] std::string_view name_of(OccupancyLimit limit);

/// Theoretical occupancy: what an SM holds when blocks are never short.
struct Occupancy {
  int64_t blocks_by_registers = 0;
  int64_t blocks_by_shared_memory = 0;
  int64_t blocks_by_warps = 0;
  int64_t blocks_by_blocks = 0;
  std::optional<int64_t> blocks_by_barriers;
  int64_t blocks_per_sm = 0;  ///< the least of them; 0: such a launch is impossible
  int64_t warps_per_sm = 0;
  double percent = 0;        ///< of the warps that an SM can hold
  bool upper_bound = false;  ///< the carve-out is not known or too small for a block, or blocks come in clusters, which
                             ///< need room together

  [[nodiscard]] std::vector<OccupancyLimit> limits_that_bind() const;
};

/// Absent for a shape that no launch has (no threads, negative amounts).
[[nodiscard]] std::optional<Occupancy> occupancy_of(const LaunchShape& shape, const SmLimits& limits);

}  // namespace sonde
