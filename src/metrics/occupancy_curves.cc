#include "metrics/occupancy_curves.h"

namespace sonde {
namespace {

void add_point(OccupancyCurve& curve, int64_t x, const LaunchShape& shape, const SmLimits& limits) {
  if (const auto occupancy = occupancy_of(shape, limits)) curve.push_back({x, occupancy->warps_per_sm});
}

}  // namespace

OccupancyCurve occupancy_by_block_size(const LaunchShape& shape, const SmLimits& limits) {
  OccupancyCurve curve;
  LaunchShape varied = shape;
  for (int64_t threads = 0; threads <= limits.max_threads_per_block; threads += 16) {
    varied.threads_per_block = threads == 0 ? 1 : threads;
    add_point(curve, varied.threads_per_block, varied, limits);
  }
  return curve;
}

OccupancyCurve occupancy_by_registers(const LaunchShape& shape, const SmLimits& limits) {
  OccupancyCurve curve;
  LaunchShape varied = shape;
  for (int64_t registers = 0; registers <= limits.max_registers_per_thread + 1; ++registers) {
    varied.registers_per_thread = registers;
    add_point(curve, registers, varied, limits);
  }
  return curve;
}

OccupancyCurve occupancy_by_shared_memory(const LaunchShape& shape, const SmLimits& limits) {
  OccupancyCurve curve;
  LaunchShape varied = shape;
  varied.driver_shared_bytes = 0;  // x holds it
  SmLimits opted = limits;
  if (shape.shared_bytes == 0) opted.max_shared_bytes_per_block_optin = limits.max_shared_bytes_per_block;
  for (int64_t bytes = 0; bytes < limits.shared_bytes; bytes += 512) {
    varied.shared_bytes = bytes;
    add_point(curve, bytes, varied, opted);
  }
  return curve;
}

}  // namespace sonde
