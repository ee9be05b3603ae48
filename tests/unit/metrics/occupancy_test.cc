#include "metrics/occupancy.h"

#include <string>

#include <gtest/gtest.h>

#include "metrics/occupancy_cases.h"
#include "metrics/occupancy_curves.h"
#include "metrics/waves.h"

namespace sonde {
namespace occupancy_test {

using occupancy_cases::Case;
using occupancy_cases::kCases;

SmLimits limits_in(const Case& c) { return limits_for(c.compute_major, c.compute_minor).value(); }

LaunchShape shape_in(const Case& c) {
  LaunchShape shape;
  shape.threads_per_block = c.threads;
  shape.registers_per_thread = c.registers;
  shape.shared_bytes = c.shared_bytes;
  shape.driver_shared_bytes = c.driver_shared_bytes;
  if (c.carve_out_bytes >= 0) shape.carve_out_bytes = c.carve_out_bytes;
  return shape;
}

std::string as_runs(const OccupancyCurve& curve) {
  std::string text;
  for (size_t i = 0; i < curve.size(); ++i) {
    if (i + 1 < curve.size() && curve[i + 1].warps_per_sm == curve[i].warps_per_sm) continue;
    text += (text.empty() ? "" : " ") + std::to_string(curve[i].x) + ":" + std::to_string(curve[i].warps_per_sm);
  }
  return text;
}

TEST(Occupancy, limits_and_warps_equal_ncu) {
  int kernels = 0;
  for (const Case& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.gpu << ", " << c.threads << " threads, " << c.registers << " registers");
    const auto o = occupancy_of(shape_in(c), limits_in(c));
    ASSERT_TRUE(o);
    EXPECT_EQ(o->blocks_by_registers, c.by_registers);
    EXPECT_EQ(o->blocks_by_shared_memory, c.by_shared_memory);
    EXPECT_EQ(o->blocks_by_warps, c.by_warps);
    EXPECT_EQ(o->blocks_by_blocks, c.by_blocks);
    EXPECT_EQ(o->warps_per_sm, c.warps);
    EXPECT_DOUBLE_EQ(o->percent, c.percent);
    const auto waves = waves_of(c.grid_blocks, o->blocks_per_sm, c.sm_count);
    ASSERT_TRUE(waves);
    EXPECT_DOUBLE_EQ(waves->count, c.waves);
    kernels += c.kernels;
  }
  EXPECT_EQ(kernels, 29);
}

TEST(Occupancy, curves_equal_ncu) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.gpu << ", " << c.threads << " threads, " << c.registers << " registers");
    const SmLimits limits = limits_in(c);
    EXPECT_EQ(as_runs(occupancy_by_block_size(shape_in(c), limits)), c.per_block_size);
    EXPECT_EQ(as_runs(occupancy_by_registers(shape_in(c), limits)), c.per_register_count);
    EXPECT_EQ(as_runs(occupancy_by_shared_memory(shape_in(c), limits)), c.per_shared_mem_size);
  }
}

TEST(Occupancy, curves_have_the_points_of_ncu) {
  const SmLimits limits = limits_for(8, 6).value();
  const LaunchShape shape = shape_in(kCases[0]);
  EXPECT_EQ(occupancy_by_block_size(shape, limits).size(), 65U);
  EXPECT_EQ(occupancy_by_registers(shape, limits).size(), 257U);
  EXPECT_EQ(occupancy_by_shared_memory(shape, limits).size(), 200U);
}

// ncu --csv of a B200 (GEMM of cuBLASLt) and a T4 (element-wise copy).
TEST(Occupancy, equals_ncu_on_b200_and_t4) {
  const auto b200 = occupancy_of({384, 168, 205696, 1024, 233472, {}, {}}, limits_for(10, 0).value()).value();
  EXPECT_EQ(b200.blocks_by_registers, 1);
  EXPECT_EQ(b200.blocks_by_shared_memory, 1);
  EXPECT_EQ(b200.blocks_by_warps, 5);
  EXPECT_EQ(b200.blocks_by_blocks, 32);
  EXPECT_DOUBLE_EQ(b200.percent, 18.75);
  EXPECT_NEAR(waves_of(288, b200.blocks_per_sm, 152)->count, 1.89, 0.005);

  const auto t4 = occupancy_of({256, 32, 0, 0, 32768, {}, {}}, limits_for(7, 5).value()).value();
  EXPECT_EQ(t4.blocks_by_registers, 8);
  EXPECT_EQ(t4.blocks_by_shared_memory, 16);
  EXPECT_EQ(t4.blocks_by_warps, 4);
  EXPECT_EQ(t4.blocks_by_blocks, 16);
  EXPECT_DOUBLE_EQ(t4.percent, 100);
  EXPECT_NEAR(waves_of(1024, t4.blocks_per_sm, 40)->count, 6.40, 0.005);
}

TEST(Occupancy, names_every_limit_that_binds) {
  const SmLimits limits = limits_for(8, 6).value();
  const auto binding = occupancy_of({256, 150, 8192, {}, 16384, {}, {}}, limits)->limits_that_bind();
  ASSERT_EQ(binding.size(), 2U);
  EXPECT_EQ(name_of(binding[0]), "registers");
  EXPECT_EQ(name_of(binding[1]), "shared memory");
}

TEST(Occupancy, is_an_upper_bound_without_the_carve_out_and_with_clusters) {
  const SmLimits hopper = limits_for(9, 0).value();
  EXPECT_FALSE(occupancy_of({128, 32, 0, {}, 32768, {}, {}}, hopper)->upper_bound);
  EXPECT_TRUE(occupancy_of({128, 32, 0, {}, {}, {}, {}}, hopper)->upper_bound);
  EXPECT_TRUE(occupancy_of({128, 32, 0, {}, 32768, {}, 2}, hopper)->upper_bound);
  EXPECT_TRUE(occupancy_of({128, 32, 32768, {}, 32768, {}, {}}, hopper)->upper_bound);
  const SmLimits turing = limits_for(7, 5).value();
  EXPECT_FALSE(occupancy_of({128, 32, 0, {}, {}, {}, {}}, turing)->upper_bound);
}

TEST(Occupancy, counts_barriers_where_both_sides_are_known) {
  SmLimits limits = limits_for(9, 0).value();
  const LaunchShape shape{128, 32, 0, {}, 32768, 7, {}};
  EXPECT_FALSE(occupancy_of(shape, limits)->blocks_by_barriers);
  limits.barriers = 64;
  EXPECT_EQ(occupancy_of(shape, limits)->blocks_by_barriers, 9);
  EXPECT_EQ(occupancy_of(shape, limits)->blocks_per_sm, 9);
}

TEST(Occupancy, an_impossible_launch_has_no_blocks_and_a_senseless_one_no_answer) {
  const SmLimits limits = limits_for(8, 0).value();
  EXPECT_EQ(occupancy_of({1025, 16, 0, {}, {}, {}, {}}, limits)->blocks_per_sm, 0);
  EXPECT_EQ(occupancy_of({1024, 65, 0, {}, {}, {}, {}}, limits)->blocks_per_sm, 0);
  EXPECT_EQ(occupancy_of({32, 16, 166913, {}, {}, {}, {}}, limits)->blocks_per_sm, 0);
  EXPECT_EQ(occupancy_of({32, 16, 166912, {}, {}, {}, {}}, limits)->blocks_per_sm, 1);
  EXPECT_FALSE(occupancy_of({0, 16, 0, {}, {}, {}, {}}, limits));
  EXPECT_FALSE(occupancy_of({32, -1, 0, {}, {}, {}, {}}, limits));
}

TEST(SmLimits, the_table_equals_what_drivers_state) {
  // device__attribute_* of the five reports; TARGET_INFO_GPU of exports for 8.9 and 12.0.
  struct Stated {
    int64_t major, minor, warps, blocks, shared, optin, reserved;
  };
  for (const Stated& s : {Stated{7, 5, 32, 16, 65536, 65536, 0}, Stated{8, 0, 64, 32, 167936, 166912, 1024},
                          Stated{8, 6, 48, 16, 102400, 101376, 1024}, Stated{8, 9, 48, 24, 102400, 101376, 1024},
                          Stated{12, 0, 48, 24, 102400, 101376, 1024}}) {
    const SmLimits limits = limits_for(s.major, s.minor).value();
    EXPECT_EQ(limits.max_warps, s.warps);
    EXPECT_EQ(limits.max_blocks, s.blocks);
    EXPECT_EQ(limits.shared_bytes, s.shared);
    EXPECT_EQ(limits.max_shared_bytes_per_block_optin, s.optin);
    EXPECT_EQ(limits.reserved_shared_bytes_per_block, s.reserved);
  }
  EXPECT_FALSE(limits_for(6, 1));
  EXPECT_FALSE(limits_for(9, 4));
}

TEST(SmLimits, what_the_recording_states_goes_first) {
  Device device;
  EXPECT_FALSE(limits_of(device));
  device.compute_major = 8;
  device.compute_minor = 0;
  EXPECT_EQ(limits_of(device)->max_blocks, 32);
  EXPECT_FALSE(limits_of(device)->sm_count);
  device.max_blocks_per_sm = 24;
  device.max_warps_per_sm = 0;  // not known
  device.sm_count = 98;
  EXPECT_EQ(limits_of(device)->max_blocks, 24);
  EXPECT_EQ(limits_of(device)->max_warps, 64);
  EXPECT_EQ(limits_of(device)->sm_count, 98);
}

TEST(SmLimits, the_attributes_of_a_report_go_before_the_device) {
  Trace trace;
  trace.devices.emplace_back().compute_major = 8;
  trace.devices[0].compute_minor = 0;
  trace.devices[0].max_blocks_per_sm = 24;
  const auto state = [&](std::string_view name, uint64_t value) {
    trace.device_attributes.push_back({0, trace.names.intern(name), MetricValue::integer(value)});
  };
  state("device__attribute_max_blocks_per_multiprocessor", 16);
  state("device__attribute_reserved_shared_memory_per_block", 0);
  state("device__attribute_multiprocessor_count", 80);
  const SmLimits limits = limits_of(trace, 0).value();
  EXPECT_EQ(limits.max_blocks, 16);
  EXPECT_EQ(limits.reserved_shared_bytes_per_block, 0);
  EXPECT_EQ(limits.sm_count, 80);
  EXPECT_FALSE(limits_of(trace, 1));
  EXPECT_FALSE(limits_of(trace, kNone));
}

TEST(SmLimits, an_amd_gpu_is_not_taken_for_nvidia) {
  Device mi250;
  mi250.compute_major = 9;
  mi250.compute_minor = 0;
  mi250.threads_per_warp = 64;
  EXPECT_FALSE(limits_of(mi250));
}

TEST(Waves, tail_is_what_the_last_wave_leaves_idle) {
  const auto one_and_a_quarter = waves_of(200, 2, 80).value();
  EXPECT_DOUBLE_EQ(one_and_a_quarter.count, 1.25);
  EXPECT_EQ(one_and_a_quarter.full, 1);
  EXPECT_EQ(one_and_a_quarter.tail_blocks, 40);
  EXPECT_DOUBLE_EQ(*one_and_a_quarter.tail_percent, 37.5);  // (2 - 1.25) / 2
}

TEST(Waves, whole_waves_have_no_tail_and_small_grids_no_answer) {
  EXPECT_EQ(waves_of(320, 2, 80)->tail_percent, 0);
  EXPECT_EQ(waves_of(320, 2, 80)->tail_blocks, 0);
  EXPECT_FALSE(waves_of(159, 2, 80)->tail_percent);
  EXPECT_EQ(waves_of(159, 2, 80)->tail_blocks, 159);
  EXPECT_FALSE(waves_of(0, 2, 80));
  EXPECT_FALSE(waves_of(10, 0, 80));
  EXPECT_FALSE(waves_of(10, INT64_MAX, 80));
}

}  // namespace occupancy_test
}  // namespace sonde
