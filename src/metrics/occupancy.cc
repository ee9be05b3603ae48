#include "metrics/occupancy.h"

#include <algorithm>

namespace sonde {
namespace {

int64_t divided_up(int64_t amount, int64_t by) { return (amount + by - 1) / by; }
int64_t rounded_up(int64_t amount, int64_t granularity) { return divided_up(amount, granularity) * granularity; }

int64_t warps_of_block(const LaunchShape& shape, const SmLimits& limits) {
  return divided_up(shape.threads_per_block, limits.threads_per_warp);
}

int64_t blocks_by_warps(const LaunchShape& shape, const SmLimits& limits) {
  if (shape.threads_per_block > limits.max_threads_per_block) return 0;
  return limits.max_warps / warps_of_block(shape, limits);
}

/// A warp's registers lie in one sub-partition, so that each of these rounds down for itself. CUDA's cuda_occupancy.h
/// and Nsight Compute count so; the often quoted formula without the split is wrong for many shapes.
int64_t blocks_by_registers(const LaunchShape& shape, const SmLimits& limits) {
  if (shape.registers_per_thread == 0) return limits.max_blocks;
  const int64_t of_warp =
      rounded_up(shape.registers_per_thread * limits.threads_per_warp, limits.registers_granularity);
  const int64_t warps = limits.registers / limits.sub_partitions / of_warp * limits.sub_partitions;
  return warps / warps_of_block(shape, limits);
}

/// A carve-out that does not hold one block gives way to the smallest that does, as it does in the driver.
int64_t capacity_for(int64_t block_bytes, const LaunchShape& shape, const SmLimits& limits) {
  const int64_t capacity = shape.carve_out_bytes.value_or(limits.shared_bytes);
  if (block_bytes <= capacity) return capacity;
  const auto* larger = std::ranges::find_if(limits.carve_outs, [&](int64_t size) { return size >= block_bytes; });
  return larger == limits.carve_outs.end() ? limits.shared_bytes : *larger;
}

int64_t driver_bytes(const LaunchShape& shape, const SmLimits& limits) {
  return shape.driver_shared_bytes.value_or(limits.reserved_shared_bytes_per_block);
}

int64_t shared_bytes_of_block(const LaunchShape& shape, const SmLimits& limits) {
  return rounded_up(shape.shared_bytes + driver_bytes(shape, limits), limits.shared_granularity);
}

int64_t blocks_by_shared_memory(const LaunchShape& shape, const SmLimits& limits) {
  const int64_t bytes = shared_bytes_of_block(shape, limits);
  if (bytes == 0) return limits.max_blocks;
  if (shape.shared_bytes > limits.max_shared_bytes_per_block_optin) return 0;
  return capacity_for(bytes, shape, limits) / bytes;
}

std::optional<int64_t> blocks_by_barriers(const LaunchShape& shape, const SmLimits& limits) {
  if (!limits.barriers || !shape.barriers) return std::nullopt;
  return *shape.barriers == 0 ? limits.max_blocks : *limits.barriers / *shape.barriers;
}

bool is_possible(const LaunchShape& shape) {
  return shape.threads_per_block > 0 && shape.registers_per_thread >= 0 && shape.shared_bytes >= 0 &&
         shape.driver_shared_bytes.value_or(0) >= 0 && shape.barriers.value_or(0) >= 0;
}

bool is_upper_bound(const LaunchShape& shape, const SmLimits& limits) {
  const bool carve_out_is_known = shared_bytes_of_block(shape, limits) <= shape.carve_out_bytes.value_or(0);
  return !carve_out_is_known || shape.cluster_blocks.value_or(1) > 1;
}

}  // namespace

std::string_view name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::registers: return "registers";
    case OccupancyLimit::shared_memory: return "shared memory";
    case OccupancyLimit::warps: return "warps";
    case OccupancyLimit::blocks: return "blocks";
    case OccupancyLimit::barriers: return "barriers";
  }
  return {};
}

std::vector<OccupancyLimit> Occupancy::limits_that_bind() const {
  std::vector<OccupancyLimit> binding;
  const auto add = [&](OccupancyLimit limit, int64_t blocks) {
    if (blocks == blocks_per_sm) binding.push_back(limit);
  };
  add(OccupancyLimit::registers, blocks_by_registers);
  add(OccupancyLimit::shared_memory, blocks_by_shared_memory);
  add(OccupancyLimit::warps, blocks_by_warps);
  add(OccupancyLimit::blocks, blocks_by_blocks);
  if (blocks_by_barriers) add(OccupancyLimit::barriers, *blocks_by_barriers);
  return binding;
}

std::optional<Occupancy> occupancy_of(const LaunchShape& shape, const SmLimits& limits) {
  if (!is_possible(shape)) return std::nullopt;
  Occupancy o;
  o.blocks_by_registers = blocks_by_registers(shape, limits);
  o.blocks_by_shared_memory = blocks_by_shared_memory(shape, limits);
  o.blocks_by_warps = blocks_by_warps(shape, limits);
  o.blocks_by_blocks = limits.max_blocks;
  o.blocks_by_barriers = blocks_by_barriers(shape, limits);
  o.blocks_per_sm = std::min({o.blocks_by_registers, o.blocks_by_shared_memory, o.blocks_by_warps, o.blocks_by_blocks,
                              o.blocks_by_barriers.value_or(o.blocks_by_blocks)});
  o.warps_per_sm = o.blocks_per_sm * warps_of_block(shape, limits);
  o.percent = 100 * static_cast<double>(o.warps_per_sm) / static_cast<double>(limits.max_warps);
  o.upper_bound = is_upper_bound(shape, limits);
  return o;
}

}  // namespace sonde
