#include "analyses/kernels/launch_occupancy.h"

#include <gtest/gtest.h>

namespace sonde {
namespace launch_occupancy_test {

/// One kernel with everything known, on an A100.
Trace known_kernel() {
  Trace t;
  Device& device = t.devices.emplace_back();
  device.compute_major = 8;
  device.compute_minor = 0;
  device.sm_count = 108;
  t.streams.emplace_back().device = 0;
  Kernels& k = t.kernels;
  k.start = {0};
  k.end = {10};
  k.stream = {0};
  k.grid = {{432, 2, 1}};
  k.block = {{16, 16, 1}};
  k.registers = {32};
  k.static_shared_bytes = {1000};
  k.dynamic_shared_bytes = {24};
  k.shared_bytes_executed = {32768};
  k.cluster = {{0, 0, 0}};
  return t;
}

TEST(LaunchOccupancy, takes_shape_and_limits_from_the_trace) {
  const Trace t = known_kernel();
  const auto launch = occupancy_of_row(t, 0);
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->shape.threads_per_block, 256);
  EXPECT_EQ(launch->shape.shared_bytes, 1024);
  EXPECT_EQ(launch->shape.carve_out_bytes, 32768);
  EXPECT_FALSE(launch->shape.cluster_blocks);
  EXPECT_EQ(launch->occupancy.blocks_per_sm, 8);
  EXPECT_FALSE(launch->occupancy.upper_bound);
  EXPECT_DOUBLE_EQ(launch->waves->count, 1);
}

TEST(LaunchOccupancy, takes_the_sum_of_shared_memory_where_only_that_is_known) {
  Trace t = known_kernel();
  t.kernels.static_shared_bytes = {kUnknown32};
  t.kernels.shared_bytes_executed = {};
  EXPECT_FALSE(occupancy_of_row(t, 0));
  t.kernels.shared_bytes = {2048};
  EXPECT_EQ(shape_of_row(t, 0)->shared_bytes, 2048);
  EXPECT_TRUE(occupancy_of_row(t, 0)->occupancy.upper_bound);
}

TEST(LaunchOccupancy, says_nothing_without_shape_device_or_capability) {
  const auto without = [](auto&& change) {
    Trace t = known_kernel();
    change(t);
    return occupancy_of_row(t, 0).has_value();
  };
  EXPECT_FALSE(without([](Trace& t) { t.kernels.registers = {kUnknown32}; }));
  EXPECT_FALSE(without([](Trace& t) { t.kernels.block = {{0, 0, 0}}; }));
  EXPECT_FALSE(without([](Trace& t) { t.kernels.stream = {kNone}; }));
  EXPECT_FALSE(without([](Trace& t) { t.streams[0].device = kNone; }));
  EXPECT_FALSE(without([](Trace& t) { t.devices[0].compute_minor = std::nullopt; }));
  EXPECT_FALSE(without([](Trace& t) { t.kernels.block = {{1025, 1, 1}}; }));
  EXPECT_TRUE(without([](Trace&) {}));
}

TEST(LaunchOccupancy, has_no_waves_without_grid_or_number_of_sms) {
  const auto waves = [](auto&& change) {
    Trace t = known_kernel();
    change(t);
    return occupancy_of_row(t, 0).value().waves.has_value();
  };
  EXPECT_FALSE(waves([](Trace& t) { t.kernels.grid = {{0, 0, 0}}; }));
  EXPECT_FALSE(waves([](Trace& t) { t.kernels.grid = {{kNone, kNone, kNone}}; }));
  EXPECT_FALSE(waves([](Trace& t) { t.devices[0].sm_count = std::nullopt; }));
  EXPECT_FALSE(waves([](Trace& t) { t.streams[0].green_context = 5; }));
  EXPECT_TRUE(waves([](Trace& t) { t.streams[0].green_context = kNone; }));
}

}  // namespace launch_occupancy_test
}  // namespace sonde
