#pragma once

#include <cstdint>
#include <vector>

#include "metrics/occupancy.h"

/// How a launch's theoretical occupancy would change with one of its properties, the others as they are. Points and
/// values are those of Nsight Compute's launch__occupancy_per_block_size, _per_register_count, _per_shared_mem_size.
namespace sonde {

struct OccupancyPoint {
  int64_t x = 0;
  int64_t warps_per_sm = 0;  ///< 0 where no such launch is possible
  bool operator==(const OccupancyPoint&) const = default;
};
using OccupancyCurve = std::vector<OccupancyPoint>;

/// x: threads of a block, 1 and then each multiple of 16 that a block can have.
[[nodiscard]] OccupancyCurve occupancy_by_block_size(const LaunchShape& shape, const SmLimits& limits);
/// x: registers of a thread, from 0 to one more than it can have.
[[nodiscard]] OccupancyCurve occupancy_by_registers(const LaunchShape& shape, const SmLimits& limits);
/// x: shared bytes of a block with the driver's share, in steps of 512 up to but without an SM's whole. A launch that
/// has none of its own counts as one that did not opt in to more than 48 KiB.
[[nodiscard]] OccupancyCurve occupancy_by_shared_memory(const LaunchShape& shape, const SmLimits& limits);

}  // namespace sonde
