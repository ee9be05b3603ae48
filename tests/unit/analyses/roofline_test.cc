#include "analyses/kernels/roofline.h"

#include <gtest/gtest.h>

#include "record/one_launch.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace roofline_test {

Arithmetic arithmetic(double flop, double ceiling) { return {"FP32", false, flop, ceiling}; }
MemoryTraffic memory(double bytes, double ceiling) { return {MemoryLevel::dram, bytes, ceiling}; }

OneLaunch with_arithmetic(std::string_view add, std::string_view multiply, std::string_view fused, double each) {
  OneLaunch launch;
  for (const std::string_view operation : {add, multiply, fused}) {
    launch.with(fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum.per_second", operation), each);
  }
  return launch;
}

TEST(Roofline, left_of_the_ridge_memory_is_the_roof) {
  const RooflinePoint point = roofline_point(arithmetic(200, 1000), memory(100, 125));
  EXPECT_EQ(point.flop_per_byte, 2);
  EXPECT_EQ(point.ridge_flop_per_byte, 8);
  EXPECT_DOUBLE_EQ(*point.percent_of_roof, 80);  // 200 of min(1000, 2 * 125)
  EXPECT_EQ(point.bound_by_memory, true);
}

TEST(Roofline, right_of_the_ridge_arithmetic_is) {
  const RooflinePoint point = roofline_point(arithmetic(200, 400), memory(4, 100));
  EXPECT_EQ(point.flop_per_byte, 50);
  EXPECT_EQ(point.ridge_flop_per_byte, 4);
  EXPECT_DOUBLE_EQ(*point.percent_of_roof, 50);
  EXPECT_EQ(point.bound_by_memory, false);
}

TEST(Roofline, without_ceilings_there_is_an_intensity_and_no_roof) {
  const RooflinePoint point = roofline_point({"FP32", false, 200, std::nullopt}, memory(100, 125));
  EXPECT_EQ(point.flop_per_byte, 2);
  EXPECT_EQ(point.percent_of_roof, std::nullopt);
  EXPECT_EQ(point.bound_by_memory, std::nullopt);
  EXPECT_EQ(roofline_point(arithmetic(1, 2), memory(0, 9)).flop_per_byte, std::nullopt);
}

TEST(Roofline, fused_operations_count_twice_and_packed_ones_twice_that) {
  const auto flop = [](const OneLaunch& launch) {
    return arithmetic_of(launch.trace(), launch.kernel()).at(0).flop_per_second;
  };
  EXPECT_EQ(flop(with_arithmetic("fadd", "fmul", "ffma", 5)), 20);
  EXPECT_EQ(flop(with_arithmetic("dadd", "dmul", "dfma", 5)), 20);
  EXPECT_EQ(flop(with_arithmetic("hadd", "hmul", "hfma", 5)), 40);
}

TEST(Roofline, flop_of_a_launch_are_those_of_all_kinds_once) {
  OneLaunch launch = with_arithmetic("fadd", "fmul", "ffma", 5);
  launch.with("gpu__time_duration.sum", 2e9);
  EXPECT_EQ(flop_of(launch.trace(), launch.kernel()), 40);
  launch.with("sm__ops_path_tensor_src_fp16_dst_fp16.sum.per_second", 300)
      .with("sm__ops_path_tensor_src_bf16_dst_fp32.sum.per_second", 200)
      .with("sm__ops_path_tensor_op_hmma_src_fp16_dst_fp16.sum.per_second", 300);
  EXPECT_EQ(flop_of(launch.trace(), launch.kernel()), 1040);
}

TEST(Roofline, flop_are_unknown_where_the_tensor_pipe_was_busy_and_nobody_counted) {
  OneLaunch launch = with_arithmetic("fadd", "fmul", "ffma", 5);
  launch.with("gpu__time_duration.sum", 2e9).with("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 70);
  EXPECT_EQ(flop_of(launch.trace(), launch.kernel()), std::nullopt);
  EXPECT_EQ(flop_of(OneLaunch().trace(), OneLaunch().kernel()), std::nullopt);
}

TEST(Roofline, a_part_of_the_operations_is_no_number) {
  OneLaunch launch;
  launch.with("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_second", 5);
  EXPECT_TRUE(arithmetic_of(launch.trace(), launch.kernel()).empty());
  EXPECT_FALSE(launch.view("roofline"));
}

TEST(Roofline, levels_take_the_newest_counter_that_was_collected) {
  OneLaunch launch;
  launch.with("lts__t_bytes.sum.per_second", 1).with("l1tex__m_xbar2l1tex_read_bytes.sum.per_second", 2);
  EXPECT_EQ(memory_traffic(launch.trace(), launch.kernel(), MemoryLevel::l2).bytes_per_second, 2);
  launch.with("lts__lts2xbar_cycles_active.sum.per_second", 3);
  EXPECT_EQ(memory_traffic(launch.trace(), launch.kernel(), MemoryLevel::l2).bytes_per_second, 96);
  EXPECT_FALSE(memory_traffic(launch.trace(), launch.kernel(), MemoryLevel::dram).is_measured());
}

TEST(Roofline, tensor_cores_have_rows_of_their_own) {
  OneLaunch launch = with_arithmetic("fadd", "fmul", "ffma", 1e9);
  launch.with("dram__bytes.sum.per_second", 2e9)
      .with("sm__ops_path_tensor_src_fp16_dst_fp32.sum.per_second", 8e9)
      .with("sm__ops_path_tensor_src_int8.sum.per_second", 0)
      .with("derived__smsp__inst_executed_pipe_tensor_x512", 4)
      .with("smsp__cycles_elapsed.avg.per_second", 1e9);
  const auto table = launch.view("roofline");
  ASSERT_TRUE(table);
  EXPECT_EQ(cells(*table, "Arithmetic"), (std::vector<std::string>{"FP32", "tensor fp16_dst_fp32", "tensor"}));
  EXPECT_EQ(cells(*table, "Achieved"), (std::vector<std::string>{"4.0", "8.0", "4.0"}));
  EXPECT_EQ(cells(*table, "Intensity"), (std::vector<std::string>{"2.000", "4.000", "2.000"}));
  EXPECT_EQ(cells(*table, "Of the roof"), (std::vector<std::string>{"-", "-", "-"}));
}

TEST(Roofline, says_that_scalar_counters_leave_tensor_cores_out) {
  OneLaunch launch = with_arithmetic("fadd", "fmul", "ffma", 1e9);
  launch.with("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 87.5);
  const auto table = launch.view("roofline");
  ASSERT_TRUE(table);
  EXPECT_NE(table->note.find("do not include tensor core work"), std::string::npos);
  EXPECT_NE(table->note.find("busy for 87.5 % of the time"), std::string::npos);
  EXPECT_NE(table->note.find("tensor cores: not collected"), std::string::npos);
}

TEST(Roofline, a_launch_without_arithmetic_still_shows_its_traffic) {
  OneLaunch launch = with_arithmetic("fadd", "fmul", "ffma", 0);
  launch.with("dram__bytes.sum.per_second", 2e9)
      .with("dram__bytes.sum.peak_sustained", 4)
      .with("dram__cycles_elapsed.avg.per_second", 1e9);
  const auto table = launch.view("roofline");
  ASSERT_TRUE(table);
  EXPECT_EQ(cells(*table, "Arithmetic"), (std::vector<std::string>{"FP32", "no FLOP"}));
  EXPECT_EQ(cells(*table, "Of the roof"), (std::vector<std::string>{"-", "50.0"}));
  EXPECT_EQ(cells(*table, "Roof there"), (std::vector<std::string>{"-", "DRAM"}));
}

}  // namespace roofline_test
}  // namespace sonde
