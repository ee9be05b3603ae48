#include <gtest/gtest.h>

#include "analyses/kernels/occupancy_steps.h"
#include "record/one_launch.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace occupancy_views_test {

using Texts = std::vector<std::string>;

/// 256 threads and 72 registers on a GPU of 8.6: three blocks by registers, 24 of 48 warps.
OneLaunch launch_of_72_registers() {
  OneLaunch launch;
  launch.with_gpu(8, 6)
      .with("launch__block_size", 256)
      .with("launch__registers_per_thread", 72)
      .with("launch__shared_mem_per_block_static", 0)
      .with("launch__shared_mem_per_block_dynamic", 0)
      .with("launch__shared_mem_per_block_driver", 1024)
      .with("launch__shared_mem_config_size", 16384);
  return launch;
}

TEST(OccupancySteps, begin_where_the_one_before_ends) {
  const OccupancyCurve curve = {{0, 4}, {8, 4}, {16, 2}, {24, 4}};
  EXPECT_EQ(steps_of(curve), (std::vector<OccupancyStep>{{0, 8, 4}, {9, 16, 2}, {17, 24, 4}}));
}

TEST(OccupancySteps, a_point_between_two_is_put_in) {
  const OccupancyCurve curve = {{0, 4}, {16, 2}};
  EXPECT_EQ(with_point(curve, {10, 3}), (OccupancyCurve{{0, 4}, {10, 3}, {16, 2}}));
  EXPECT_EQ(with_point(curve, {16, 3}), curve);
  EXPECT_EQ(with_point(curve, {20, 3}), (OccupancyCurve{{0, 4}, {16, 2}, {20, 3}}));
}

TEST(OccupancySteps, long_curves_keep_their_peaks_and_the_launch) {
  std::vector<OccupancyStep> steps;
  for (int64_t i = 0; i < 20; ++i) steps.push_back({i, i, i % 5});
  EXPECT_EQ(condensed(steps, 7),
            (std::vector<OccupancyStep>{{4, 4, 4}, {7, 7, 2}, {9, 9, 4}, {14, 14, 4}, {19, 19, 4}}));
  steps.resize(5);
  EXPECT_EQ(condensed(steps, 2), steps);
}

TEST(OccupancySteps, the_next_better_point_is_the_nearest) {
  const OccupancyCurve curve = {{16, 9}, {32, 8}, {48, 6}, {64, 4}, {80, 6}, {96, 8}};
  const OccupancyPoint own{64, 4};
  EXPECT_EQ(next_better(curve, own, {}), (OccupancyPoint{48, 6}));
  EXPECT_EQ(next_better(curve, {80, 6}, {.may_grow = true, .multiple = 32}), (OccupancyPoint{96, 8}));
  EXPECT_EQ(next_better(curve, {80, 6}, {}), (OccupancyPoint{32, 8}));
  EXPECT_EQ(next_better(curve, {16, 9}, {.may_grow = true, .multiple = 1}), std::nullopt);
}

TEST(OccupancyCurvesView, says_what_is_next_better) {
  const auto table = launch_of_72_registers().view("occupancy_curves");
  ASSERT_TRUE(table);
  EXPECT_NE(table->note.find("At 64 registers per thread instead of 72: 66.7 % instead of 50.0 %."), std::string::npos)
      << table->note;
  EXPECT_NE(table->note.find("No smaller number of shared bytes per block gives more than 50.0 %."), std::string::npos);
}

TEST(OccupancyCurvesView, says_what_is_missing) {
  const auto nothing = OneLaunch().view("occupancy_curves");
  ASSERT_FALSE(nothing);
  EXPECT_TRUE(nothing.error().message.starts_with("not collected: launch__registers_per_thread"));
  OneLaunch unknown;
  unknown.with("launch__registers_per_thread", 1)
      .with("launch__shared_mem_per_block_static", 0)
      .with("launch__shared_mem_per_block_dynamic", 0);
  ASSERT_FALSE(unknown.view("occupancy_curves"));
  EXPECT_TRUE(unknown.view("occupancy_curves").error().message.starts_with("not known"));
}

TEST(OccupancyLimitsView, has_the_report_and_the_formula_side_by_side) {
  OneLaunch launch = launch_of_72_registers();
  launch.with("launch__occupancy_limit_registers", 3)
      .with("launch__occupancy_limit_shared_mem", 16)
      .with("launch__occupancy_limit_warps", 6)
      .with("launch__occupancy_limit_blocks", 16)
      .with("launch__occupancy_limit_barriers", 24)
      .with("sm__maximum_warps_per_active_cycle_pct", 50)
      .with("sm__warps_active.avg.pct_of_peak_sustained_active", 41.3);
  const auto table = launch.view("occupancy_limits");
  ASSERT_TRUE(table);
  EXPECT_EQ(cells(*table, "Limit"),
            (Texts{"registers", "shared memory", "warps", "blocks", "barriers", "theoretical", "achieved"}));
  EXPECT_EQ(cells(*table, "Blocks/SM"), (Texts{"3", "16", "6", "16", "24", "3", "-"}));
  EXPECT_EQ(cells(*table, "Blocks/SM by formula"), (Texts{"3", "16", "6", "16", "-", "3", "-"}));
  EXPECT_EQ(cells(*table, "Occupancy"), (Texts{"-", "-", "-", "-", "-", "50.0", "41.3"}));
  EXPECT_EQ(cells(*table, "Occupancy by formula"), (Texts{"-", "-", "-", "-", "-", "50.0", "-"}));
  EXPECT_EQ(cells(*table, "Binds"), (Texts{"yes", "", "", "", "", "", ""}));
  EXPECT_EQ(table->note, "");
}

TEST(OccupancyLimitsView, works_by_formula_alone_and_says_so) {
  const auto table = launch_of_72_registers().view("occupancy_limits");
  ASSERT_TRUE(table);
  EXPECT_EQ(cells(*table, "Blocks/SM"), (Texts{"-", "-", "-", "-", "-"}));
  EXPECT_EQ(cells(*table, "Binds"), (Texts{"yes", "", "", "", ""}));
  EXPECT_TRUE(table->note.starts_with("Achieved occupancy: not collected"));
}

TEST(OccupancyLimitsView, numbers_of_a_damaged_report_are_not_known) {
  OneLaunch launch = launch_of_72_registers();
  launch.with("launch__occupancy_limit_registers", 1e300).with("launch__cluster_size", 1e300);
  const auto table = launch.view("occupancy_limits");
  ASSERT_TRUE(table);
  EXPECT_EQ(cells(*table, "Blocks/SM").at(0), "-");
  OneLaunch huge;
  huge.with_gpu(8, 6)
      .with("launch__registers_per_thread", 1e300)
      .with("launch__shared_mem_per_block_static", 0)
      .with("launch__shared_mem_per_block_dynamic", 0);
  EXPECT_FALSE(huge.view("occupancy_limits"));
}

TEST(OccupancyLimitsView, works_without_the_gpu) {
  OneLaunch launch;
  launch.with("launch__occupancy_limit_registers", 3).with("launch__occupancy_limit_warps", 6);
  const auto table = launch.view("occupancy_limits");
  ASSERT_TRUE(table);
  EXPECT_EQ(cells(*table, "Limit"), (Texts{"registers", "warps", "theoretical"}));
  EXPECT_EQ(cells(*table, "Blocks/SM by formula"), (Texts{"-", "-", "-"}));
  EXPECT_NE(table->note.find("Formula values are unknown"), std::string::npos);
  EXPECT_FALSE(OneLaunch().view("occupancy_limits"));
}

}  // namespace occupancy_views_test
}  // namespace sonde
