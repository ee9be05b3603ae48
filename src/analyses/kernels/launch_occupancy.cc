#include "analyses/kernels/launch_occupancy.h"

#include <limits>

namespace sonde {
namespace {

/// The value of a row; absent where the column was not read or the source gave none.
std::optional<int64_t> known(const Ints& column, Row row) {
  if (row >= column.size() || column[row] < 0) return std::nullopt;
  return column[row];
}

/// The product of three extents; absent for 0, which says that the recorder did not tell.
std::optional<int64_t> volume(const std::vector<Dim3>& column, Row row) {
  if (row >= column.size()) return std::nullopt;
  int64_t product = 1;
  for (const uint32_t extent : column[row]) {
    if (extent == 0 || product > std::numeric_limits<int64_t>::max() / extent) return std::nullopt;
    product *= extent;
  }
  return product;
}

std::optional<int64_t> shared_bytes(const Kernels& k, Row row) {
  const auto fixed = known(k.static_shared_bytes, row);
  const auto dynamic = known(k.dynamic_shared_bytes, row);
  return fixed && dynamic ? std::optional(*fixed + *dynamic) : known(k.shared_bytes, row);
}

/// CUPTI's sharedMemoryExecuted is the carve-out; 0 where CUPTI did not tell.
std::optional<int64_t> carve_out(const Kernels& k, Row row) {
  const auto bytes = known(k.shared_bytes_executed, row);
  return bytes.value_or(0) > 0 ? bytes : std::nullopt;
}

}  // namespace

LaunchResources resources_of_row(const Trace& trace, Row kernel) {
  const Kernels& k = trace.kernels;
  return {known(k.registers, kernel), shared_bytes(k, kernel), carve_out(k, kernel), volume(k.cluster, kernel)};
}

std::optional<LaunchShape> shape_of_row(const Trace& trace, Row kernel) {
  const auto threads = volume(trace.kernels.block, kernel);
  const LaunchResources resources = resources_of_row(trace, kernel);
  if (!threads || !resources.registers_per_thread || !resources.shared_bytes) return std::nullopt;
  LaunchShape shape;
  shape.threads_per_block = *threads;
  shape.registers_per_thread = *resources.registers_per_thread;
  shape.shared_bytes = *resources.shared_bytes;
  shape.carve_out_bytes = resources.carve_out_bytes;
  shape.cluster_blocks = resources.cluster_blocks;
  return shape;
}

std::optional<int64_t> grid_blocks_of_row(const Trace& trace, Row kernel) { return volume(trace.kernels.grid, kernel); }
std::optional<int64_t> block_threads_of_row(const Trace& trace, Row kernel) {
  return volume(trace.kernels.block, kernel);
}

std::optional<SmLimits> limits_of_stream(const Trace& trace, StreamId stream) {
  if (stream >= trace.streams.size()) return std::nullopt;
  auto limits = limits_of(trace, trace.streams[stream].device);
  if (limits && trace.streams[stream].green_context != kNone) limits->sm_count.reset();
  return limits;
}

std::optional<LaunchOccupancy> occupancy_of_row(const Trace& trace, Row kernel, const std::optional<SmLimits>& limits) {
  const auto shape = shape_of_row(trace, kernel);
  if (!shape || !limits) return std::nullopt;
  const auto occupancy = occupancy_of(*shape, *limits);
  if (!occupancy || occupancy->blocks_per_sm == 0) return std::nullopt;
  LaunchOccupancy launch{*shape, *occupancy, std::nullopt};
  const auto grid = grid_blocks_of_row(trace, kernel);
  if (grid && limits->sm_count) launch.waves = waves_of(*grid, occupancy->blocks_per_sm, *limits->sm_count);
  return launch;
}

std::optional<LaunchOccupancy> occupancy_of_row(const Trace& trace, Row kernel) {
  const Ids& streams = trace.kernels.stream;
  if (kernel >= streams.size()) return std::nullopt;
  return occupancy_of_row(trace, kernel, limits_of_stream(trace, streams[kernel]));
}

}  // namespace sonde
