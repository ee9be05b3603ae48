#include "gate/decide/figures.h"

#include <gtest/gtest.h>

#include "gate/gate_records.h"

namespace sonde::gate {
namespace gate_figures_test {

TimedRun figure(std::string_view metric, const RunRecord& run, const Scope& scope = {}) {
  return figure_of(*find_metric(metric)).values(run, scope);
}

TEST(Figures, every_metric_has_the_figure_of_its_name) {
  for (const Metric& metric : metrics()) EXPECT_EQ(figure_of(metric).metric, metric.name);
}

TEST(Figures, nothing_recorded_gives_no_value_of_any_metric) {
  for (const Metric& metric : metrics()) {
    EXPECT_TRUE(figure_of(metric).values(RunRecord(), {}).empty()) << metric.name;
  }
}

TEST(Figures, timed_ones_have_a_value_a_step_and_exact_ones_one) {
  const RunRecord run = record_with({kernel_group("gemm", 100, 3), kernel_group("norm", 10, 2)},
                                    {call_group("cudaLaunchKernel", 5, 5), call_group("cudaStreamSynchronize", 7, 1)});
  EXPECT_EQ(figure("step_time", run), TimedRun(4, 1e6));
  EXPECT_EQ(figure("wall_time", run), TimedRun({8e6}));
  EXPECT_EQ(figure("gpu_busy_time", run), TimedRun(4, 5e5));
  EXPECT_EQ(figure("gpu_idle_time", run), TimedRun(4, 5e5));
  EXPECT_EQ(figure("gpu_utilization", run), TimedRun(4, 50));
  EXPECT_EQ(figure("kernel_time", run), TimedRun(4, 320));
  EXPECT_EQ(figure("kernel_time", run, {.kernels = Names{"norm"}}), TimedRun(4, 20));
  EXPECT_EQ(figure("avg_kernel_time", run, {.kernels = Names{"gemm"}}), TimedRun(4, 100));
  EXPECT_EQ(figure("synchronization_time", run), TimedRun(4, 7));
  EXPECT_EQ(figure("launch_time", run), TimedRun(4, 5));
  EXPECT_EQ(figure("kernels_per_step", run), TimedRun({5}));
  EXPECT_EQ(figure("launches_per_step", run), TimedRun({5}));
  EXPECT_EQ(figure("synchronizations_per_step", run), TimedRun({1}));
  EXPECT_EQ(figure("allocations_per_step", run), TimedRun({0}));
}

TEST(Figures, the_mean_kernel_time_of_everything_is_the_summarys) {
  RunRecord run = record_with({kernel_group("gemm", 100)});
  EXPECT_TRUE(figure("avg_kernel_time", run).empty()) << "not the steady steps' 100 ns";
  run.avg_kernel_ns = 123.5;
  EXPECT_EQ(figure("avg_kernel_time", run), TimedRun({123.5}));
}

TEST(Figures, no_pageable_copies_are_zero_where_copies_tell_their_memory) {
  RunRecord run = record_with({copy_group(4096, false)});
  EXPECT_EQ(figure("pageable_copies_per_step", run), TimedRun({0}));
  EXPECT_EQ(figure("copies_per_step", run), TimedRun({1}));
  EXPECT_EQ(figure("copied_bytes_per_step", run), TimedRun({4096}));
  run.work[0].pageable = true;
  EXPECT_EQ(figure("pageable_copies_per_step", run), TimedRun({1}));
  run.recorded.copy_memory = false;
  EXPECT_TRUE(figure("pageable_copies_per_step", run).empty());
}

TEST(Figures, what_runs_in_graphs_that_were_traced_as_a_whole_is_not_known) {
  RunRecord run =
      record_with({kernel_group("gemm", 100), copy_group(4096, false)}, {call_group("cudaGraphLaunch", 5, 1)});
  run.recorded.whole_graphs = true;
  for (const std::string_view metric : {"kernel_time", "kernels_per_step", "copies_per_step", "launch_time"}) {
    EXPECT_TRUE(figure(metric, run).empty()) << metric;
  }
  EXPECT_EQ(figure("launches_per_step", run), TimedRun({1}));
  EXPECT_EQ(figure("gpu_busy_time", run), TimedRun(4, 5e5));
}

TEST(Figures, exact_ones_are_means_over_the_last_steps) {
  RunRecord run = record_with({kernel_group("gemm", 100)});
  run.work[0].step_count = {9, 1, 2, 3};
  EXPECT_EQ(figure("kernels_per_step", run), TimedRun({15.0 / 4}));
  EXPECT_EQ(figure("kernels_per_step", run, {.last_steps = 3}), TimedRun({2}));
  EXPECT_EQ(figure("kernels_per_step", run, {.last_steps = 99}), TimedRun({15.0 / 4}));
}

TEST(Figures, without_steps_the_run_stands_for_one) {
  RunRecord run = record_with({kernel_group("gemm", 100)}, {call_group("cudaStreamSynchronize", 7, 1)});
  run.step_ns.clear();
  run.steps = 0;
  EXPECT_EQ(figure("kernels_per_step", run), TimedRun({4}));
  EXPECT_EQ(figure("kernel_time", run), TimedRun({400}));
  EXPECT_EQ(figure("synchronization_time", run), TimedRun({28}));
  EXPECT_EQ(figure("gpu_busy_time", run), TimedRun({2e6}));
  EXPECT_EQ(figure("gpu_utilization", run), TimedRun({50}));
  EXPECT_TRUE(figure("step_time", run).empty());
}

TEST(Figures, a_module_counts_with_those_inside_and_no_namesake) {
  const RunRecord run = record_with({kernel_group("a", 1, 1, "model"), kernel_group("b", 10, 1, "model/layer"),
                                     kernel_group("c", 100, 1, "modeling"), kernel_group("d", 1000)});
  const Scope model{.modules = ModuleScope{.paths = {"model"}}};
  EXPECT_EQ(figure("module_time", run, model), TimedRun(4, 11));
  const Scope own{.modules = ModuleScope{.paths = {"model"}, .inside = false}};
  EXPECT_EQ(figure("module_time", run, own), TimedRun(4, 1));
  EXPECT_EQ(figure("module_time", run), TimedRun(4, 111));
  const Scope none{.modules = ModuleScope{.paths = {"modem"}}};
  EXPECT_TRUE(figure("kernels_per_step", run, none).empty());
  EXPECT_EQ(figure("copies_per_step", run, model), TimedRun({0})) << "the module is there and copies nothing";
}

TEST(Figures, a_gpu_by_its_number_and_the_mean_over_all) {
  RunRecord run = record_with({kernel_group("gemm", 100)});
  run.gpus.push_back(run.gpus[0]);
  run.gpus[1].ordinal = 1;
  run.gpus[1].step_busy_ns.assign(kRecordSteps, 100);
  run.gpus[1].peak_memory_bytes = 7;
  EXPECT_EQ(figure("gpu_busy_time", run), TimedRun(4, 250050));
  EXPECT_EQ(figure("gpu_busy_time", run, {.gpu = 1}), TimedRun(4, 100));
  EXPECT_EQ(figure("kernels_per_step", run, {.gpu = 1}), TimedRun({0}));
  EXPECT_TRUE(figure("kernels_per_step", run, {.gpu = 2}).empty());
  EXPECT_TRUE(figure("peak_memory", run, {.gpu = 0}).empty());
  EXPECT_EQ(figure("peak_memory", run), TimedRun({7}));
}

TEST(Figures, communication_is_none_of_a_program_without_collectives) {
  RunRecord run = record_with({kernel_group("nccl", 100)});
  run.gpus[0].step_communication_ns.assign(kRecordSteps, 100);
  run.gpus[0].step_exposed_communication_ns.assign(kRecordSteps, 40);
  EXPECT_TRUE(figure("communication_time", run).empty());
  run.work[0].communication = true;
  EXPECT_EQ(figure("communication_time", run), TimedRun(4, 100));
  EXPECT_EQ(figure("exposed_communication_time", run), TimedRun(4, 40));
}

TEST(Figures, of_shapes_the_worst_counts_and_one_that_does_not_tell_makes_it_unknown) {
  RunRecord run;
  KernelShape shape;
  shape.kernel = "gemm";
  shape.registers_per_thread = 64;
  shape.theoretical_occupancy_percent = 75;
  run.shapes = {shape, shape};
  run.shapes[1].registers_per_thread = 72;
  run.shapes[1].theoretical_occupancy_percent = 50;
  const Scope gemm{.kernels = Names{"gemm"}};
  EXPECT_EQ(figure("registers_per_thread", run, gemm), TimedRun({72}));
  EXPECT_EQ(figure("theoretical_occupancy", run, gemm), TimedRun({50}));
  EXPECT_TRUE(figure("shared_memory_per_block", run, gemm).empty());
  EXPECT_TRUE(figure("registers_per_thread", run, {.kernels = Names{"norm"}}).empty());
  run.shapes[0].registers_per_thread.reset();
  EXPECT_TRUE(figure("registers_per_thread", run, gemm).empty());
}

TEST(Figures, of_a_kernel_report_each_launch_is_a_time) {
  RunRecord run;
  run.measures = {
      {.kernel = "gemm", .duration_ns = {3, 5}, .cycles = {}, .achieved_occupancy_percent = {}, .spill_bytes = {}},
      {.kernel = "norm", .duration_ns = {1}, .cycles = {}, .achieved_occupancy_percent = {}, .spill_bytes = {}}};
  EXPECT_EQ(figure("kernel_time", run, {.kernels = Names{"gemm"}}), TimedRun({3, 5}));
  EXPECT_EQ(figure("kernel_time", run), TimedRun({9}));
  EXPECT_EQ(figure("avg_kernel_time", run), TimedRun({3}));
  EXPECT_TRUE(figure("kernel_time", run, {.kernels = Names{"softmax"}}).empty());
}

RunRecord run_with_steps(int64_t count) {
  RunRecord run;
  for (int64_t i = count; i > 0; --i) run.step_ns.push_back(i);
  run.steps = count;
  return run;
}

TEST(Figures, percentiles_of_steps_need_one_step_beyond_them) {
  EXPECT_TRUE(figure("step_time_p95", run_with_steps(19)).empty());
  // numpy.percentile(range(1, 21), 95)
  EXPECT_DOUBLE_EQ(figure("step_time_p95", run_with_steps(20)).at(0), 19.05);
  EXPECT_TRUE(figure("step_time_p99", run_with_steps(99)).empty());
  // numpy.percentile(range(1, 101), 99)
  EXPECT_DOUBLE_EQ(figure("step_time_p99", run_with_steps(100)).at(0), 99.01);
}

TEST(Figures, latencies_of_a_range_need_enough_of_them) {
  RunRecord run;
  run.ranges = {{.name = "request", .count = 19, .p50_ns = 1, .p95_ns = 2, .p99_ns = 3},
                {.name = "token", .count = 100, .p50_ns = 4, .p95_ns = 5, .p99_ns = 6}};
  EXPECT_EQ(figure("range_latency_p50", run, {.range = "request"}), TimedRun({1}));
  EXPECT_TRUE(figure("range_latency_p95", run, {.range = "request"}).empty());
  EXPECT_TRUE(figure("range_latency_p99", run, {.range = "request"}).empty());
  EXPECT_EQ(figure("range_latency_p95", run, {.range = "token"}), TimedRun({5}));
  EXPECT_EQ(figure("range_latency_p99", run, {.range = "token"}), TimedRun({6}));
  EXPECT_TRUE(figure("range_latency_p50", run, {.range = "tok"}).empty());
}

TEST(Figures, what_was_counted_of_the_processes) {
  RunRecord run;
  run.cpu_ns = 12;
  run.instructions = 34;
  run.cycles = 56;
  EXPECT_EQ(figure("cpu_time", run), TimedRun({12}));
  EXPECT_EQ(figure("instructions", run), TimedRun({34}));
  EXPECT_EQ(figure("cycles", run), TimedRun({56}));
}

KernelMeasure measure_of(std::string kernel, std::vector<double> duration_ns,
                         std::map<std::string, double, std::less<>> metrics) {
  KernelMeasure measure;
  measure.kernel = std::move(kernel);
  measure.duration_ns = std::move(duration_ns);
  measure.metrics = std::move(metrics);
  return measure;
}

TEST(Figures, shares_weigh_by_duration_and_bytes_add_up) {
  RunRecord run;
  run.measures = {measure_of("gemm", {100, 200}, {{"sm_throughput", 80}, {"dram_bytes", 1000}}),
                  measure_of("norm", {100}, {{"sm_throughput", 20}, {"dram_bytes", 500}})};
  EXPECT_EQ(figure("sm_throughput", run), TimedRun({(80.0 * 300 + 20.0 * 100) / 400}));
  EXPECT_EQ(figure("sm_throughput", run, {.kernels = Names{"norm"}}), TimedRun({20}));
  EXPECT_EQ(figure("dram_bytes", run), TimedRun({1500}));
  EXPECT_TRUE(figure("ipc", run).empty());
  run.measures[1].metrics.erase("dram_bytes");
  EXPECT_TRUE(figure("dram_bytes", run).empty()) << "a sum without one kernel is no sum";
  EXPECT_EQ(figure("dram_bytes", run, {.kernels = Names{"gemm"}}), TimedRun({1000}));
  run.measures[0].duration_ns.clear();
  EXPECT_TRUE(figure("sm_throughput", run).empty()) << "nothing to weigh by";
  EXPECT_EQ(figure("sm_throughput", run, {.kernels = Names{"gemm"}}), TimedRun({80}));
}

}  // namespace gate_figures_test
}  // namespace sonde::gate
