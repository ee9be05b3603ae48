#include <gtest/gtest.h>

#include "gate/record/record_run.h"

namespace sonde::gate {
namespace gate_report_record_test {

/// A kernel report, launch by launch.
class Report {
 public:
  Report() {
    Device& device = trace_.devices.emplace_back();
    device.name = "NVIDIA A100-SXM4-40GB";
    device.cuda_ordinal = 0;
    trace_.ranks.emplace_back().product = "NVIDIA Nsight Compute";
  }
  Report& launch(std::string_view name) {
    KernelProfile& kernel = trace_.kernel_profiles.emplace_back();
    kernel.name = trace_.names.intern(name);
    kernel.grid = {108, 1, 1};
    kernel.block = {256, 1, 1};
    kernel.device = 0;
    return *this;
  }
  Report& with(std::string_view metric, double value) {
    auto& metrics = trace_.kernel_profiles.back().metrics;
    metrics.push_back({trace_.names.intern(metric), MetricValue::real(value), {}});
    std::ranges::sort(metrics, {}, &sonde::Metric::name);
    return *this;
  }
  Report& told(std::string_view name, std::string_view value) {
    trace_.ranks.front().capture.emplace_back(name, value);
    return *this;
  }
  [[nodiscard]] RunRecord record() const { return record_run(trace_); }

 private:
  Trace trace_;
};

Report two_launches() {
  Report report;
  for (const double ns : {1000.0, 3000.0}) {
    report.launch("gemm")
        .with("gpu__time_duration.sum", ns)
        .with("gpc__cycles_elapsed.max", ns * 1.2)
        .with("gpc__cycles_elapsed.avg.per_second", ns == 1000 ? 1.0e9 : 1.4e9)
        .with("sm__warps_active.avg.pct_of_peak_sustained_active", ns / 100)
        .with("launch__registers_per_thread", 72)
        .with("launch__shared_mem_per_block_static", 1000)
        .with("launch__shared_mem_per_block_dynamic", 24)
        .with("launch__occupancy_limit_registers", 3)
        .with("launch__occupancy_limit_warps", 8)
        .with("sm__maximum_warps_per_active_cycle_pct", 37.5);
  }
  return report;
}

TEST(GateReportRecord, shapes_are_as_collected) {
  const RunRecord r = two_launches().record();
  ASSERT_EQ(r.shapes.size(), 1);
  EXPECT_EQ(r.shapes[0].kernel, "gemm");
  EXPECT_EQ(r.shapes[0].count, 2);
  EXPECT_EQ(r.shapes[0].registers_per_thread, 72);
  EXPECT_EQ(r.shapes[0].shared_bytes_per_block, 1024);
  EXPECT_EQ(r.shapes[0].blocks_per_sm, 3);
  EXPECT_EQ(r.shapes[0].theoretical_occupancy_percent, 37.5);
}

TEST(GateReportRecord, measures_are_of_each_launch) {
  const RunRecord r = two_launches().record();
  ASSERT_EQ(r.measures.size(), 1);
  EXPECT_EQ(r.measures[0].duration_ns, (std::vector<double>{1000, 3000}));
  EXPECT_EQ(r.measures[0].cycles, (std::vector<double>{1200, 3600}));
  EXPECT_EQ(r.measures[0].achieved_occupancy_percent, 20);
  EXPECT_FALSE(r.measures[0].spill_bytes) << "not collected";
  EXPECT_EQ(r.gpus.at(0).sm_clock_hz, 1.3e9) << "the mean over the kernels' time";
  EXPECT_EQ(r.extent_ns, 0);
}

TEST(GateReportRecord, metrics_weigh_launches_by_their_duration_and_add_bytes_up) {
  Report report;
  report.launch("gemm")
      .with("gpu__time_duration.sum", 1000)
      .with("sm__throughput.avg.pct_of_peak_sustained_elapsed", 80)
      .with("dram__bytes_read.sum", 100)
      .with("dram__bytes_write.sum", 20);
  report.launch("gemm")
      .with("gpu__time_duration.sum", 3000)
      .with("sm__throughput.avg.pct_of_peak_sustained_elapsed", 40)
      .with("lts__throughput.avg.pct_of_peak_sustained_elapsed", 10)
      .with("dram__bytes.sum", 7);
  const RunRecord r = report.record();
  const std::map<std::string, double, std::less<>> both = {{"sm_throughput", 50}, {"dram_bytes", 127}};
  EXPECT_EQ(r.measures.at(0).metrics, both) << "one launch lacks L2's throughput";
  EXPECT_EQ(r.avg_kernel_ns, 2000);
}

TEST(GateReportRecord, of_one_launch_a_metric_needs_no_duration) {
  Report report;
  report.launch("gemm").with("sm__inst_executed.avg.per_cycle_active", 2.5);
  EXPECT_EQ(report.record().measures.at(0).metrics.at("ipc"), 2.5);
  report.launch("gemm").with("sm__inst_executed.avg.per_cycle_active", 1.5);
  EXPECT_TRUE(report.record().measures.at(0).metrics.empty());
  EXPECT_FALSE(report.record().avg_kernel_ns);
}

TEST(GateReportRecord, cycles_that_one_launch_lacks_are_left_out) {
  Report report = two_launches();
  report.launch("gemm").with("gpu__time_duration.sum", 5);
  const RunRecord r = report.record();
  EXPECT_EQ(r.measures[0].duration_ns.size(), 3);
  EXPECT_TRUE(r.measures[0].cycles.empty());
}

TEST(GateReportRecord, spills_are_bytes) {
  Report by_sectors;
  by_sectors.launch("gemm")
      .with("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 3)
      .with("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 1);
  EXPECT_EQ(by_sectors.record().measures.at(0).spill_bytes, 128);
}

TEST(GateReportRecord, clocks_and_caches_are_as_the_command_line_sets_them) {
  const RunRecord unknown = two_launches().record();
  EXPECT_EQ(unknown.conditions.at("kind"), "kernel report");
  EXPECT_FALSE(unknown.conditions.contains("clock_control"));
  const RunRecord by_default = two_launches().told("command line", "ncu --set full ./a.out").record();
  EXPECT_EQ(by_default.conditions.at("clock_control"), "base");
  EXPECT_EQ(by_default.conditions.at("cache_control"), "all");
  const RunRecord set =
      two_launches().told("command line", "ncu --clock-control none --cache-control=none ./a.out").record();
  EXPECT_EQ(set.conditions.at("clock_control"), "none");
  EXPECT_EQ(set.conditions.at("cache_control"), "none");
}

TEST(GateReportRecord, nonsense_in_a_damaged_report_is_not_known) {
  Report report;
  report.launch("gemm")
      .with("gpu__time_duration.sum", -1)
      .with("launch__registers_per_thread", 1e300)
      .with("launch__occupancy_limit_warps", std::numeric_limits<double>::quiet_NaN());
  const RunRecord r = report.record();
  EXPECT_TRUE(r.measures.at(0).duration_ns.empty());
  EXPECT_FALSE(r.avg_kernel_ns);
  EXPECT_FALSE(r.shapes.at(0).registers_per_thread);
  EXPECT_FALSE(r.shapes.at(0).blocks_per_sm);
}

}  // namespace gate_report_record_test
}  // namespace sonde::gate
