#include "gate/record/record_run.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "shared/trace_builder.h"
#include "trace/columns.h"

namespace sonde::gate {
namespace gate_record_test {

/// What the builder calls a kernel in full.
std::string kernel(std::string_view name) { return fmt::format("void {}<float>(int)", name); }

/// Steps of 1000 ns. In each a matrix product that begins `gap` ns into it and, overlapping it, a copy; beside them on
/// the second of two GPUs a kernel whose length differs from step to step. Half of the work is in a module.
TraceBuilder steps(int64_t count, int64_t gap = 100) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  const StreamId s = b.stream(1, 0);
  const StreamId other = b.stream(1, 0);
  const StreamId second = b.stream(1, 1);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = 10'000 + i * 1000;
    b.push_pop(t, at, at + 990, "step");
    b.push_pop(t, at + 5, at + 50, "layer");
    b.kernel(s, at + gap, at + gap + 401, "gemm", b.call(t, at + 10, at + 20));
    b.host_copy(other, at + gap + 300, at + gap + 500, CopyKind::host_to_device, MemoryKind::pinned, 64,
                b.call(t, at + 60, at + 70, "cudaMemcpyAsync_v3020"));
    b.kernel(second, at + 100, at + 103 + i % 9, "relu", b.call(t, at + 80, at + 85));
    b.call(t, at + 600, at + 900, "cudaStreamSynchronize_v3020");
  }
  return b;
}

template <typename Row>
const Row& row(const std::vector<Row>& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  if (found == rows.end()) throw std::out_of_range(std::string(name));
  return *found;
}

template <typename Row>
int64_t sum(const std::vector<Row>& rows, int64_t Row::* value) {
  return std::accumulate(rows.begin(), rows.end(), int64_t{0},
                         [&](int64_t total, const Row& r) { return total + r.*value; });
}

void expect_exact(const RunRecord& record) {
  const int64_t busy = sum(record.gpus, &GpuOfRun::busy_ns);
  EXPECT_EQ(sum(record.work, &WorkGroup::share_ns), busy);
  EXPECT_EQ(busy + sum(record.idle, &IdleGroup::ns), record.extent_ns * static_cast<int64_t>(record.gpus.size()));
}

TEST(GateRecord, parts_of_steps_add_up_exactly) {
  const RunRecord r = record_run(steps(7).build());
  EXPECT_EQ(r.steps, 7);
  EXPECT_EQ(r.extent_ns, 6990);
  EXPECT_EQ(r.step_ns, (std::vector<int64_t>{1000, 1000, 1000, 1000, 1000, 1000, 990}));
  expect_exact(r);
  EXPECT_EQ(r.gpus.at(0).busy_ns, 7 * 500);
  EXPECT_EQ(r.gpus.at(0).step_busy_ns, std::vector<int64_t>(7, 500));
  EXPECT_EQ(r.gpus.at(1).step_busy_ns, (std::vector<int64_t>{3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(r.conditions.at("steps_by"), "range");
}

TEST(GateRecord, work_has_its_module_and_its_steps) {
  const RunRecord r = record_run(steps(7).build());
  const WorkGroup& gemm = row(r.work, kernel("gemm"));
  EXPECT_EQ(gemm.module, "step/layer");
  EXPECT_EQ(gemm.count, 7);
  EXPECT_EQ(gemm.duration_ns, 7 * 401);
  EXPECT_EQ(gemm.share_ns, 7 * (401 - 50)) << "101 ns of each run beside the copy, whose half is rounded down here";
  EXPECT_EQ(gemm.step_count, std::vector<int64_t>(7, 1));
  EXPECT_EQ(gemm.step_duration_ns, std::vector<int64_t>(7, 401));
  const WorkGroup& copy = row(r.work, "Host-to-Device");
  EXPECT_EQ(copy.kind, WorkKind::copy);
  EXPECT_EQ(copy.module, "step");
  EXPECT_EQ(copy.bytes, 7 * 64);
  EXPECT_FALSE(copy.pageable);
}

TEST(GateRecord, counts_by_the_launching_call_and_shares_by_what_ran) {
  const RunRecord r = record_run(steps(7, 1200).build());  // each runs in the step after its launch
  const WorkGroup& gemm = row(r.work, kernel("gemm"));
  EXPECT_EQ(gemm.count, 7);
  EXPECT_EQ(gemm.step_count, std::vector<int64_t>(7, 1));
  EXPECT_EQ(gemm.duration_ns, 7 * 401);
  EXPECT_EQ(r.gpus.at(0).busy_ns, 6 * 500) << "the last one ran behind the last step";
  expect_exact(r);
}

TEST(GateRecord, keeps_the_last_hundred_steps) {
  const RunRecord r = record_run(steps(130).build());
  EXPECT_EQ(r.steps, 130);
  EXPECT_EQ(r.step_ns.size(), kMaxSteps);
  const WorkGroup& gemm = row(r.work, kernel("gemm"));
  EXPECT_EQ(gemm.count, 130);
  EXPECT_EQ(gemm.step_count.size(), kMaxSteps);
  EXPECT_EQ(row(r.work, kernel("relu")).step_duration_ns.back(), 3 + 129 % 9);
  expect_exact(r);
}

TEST(GateRecord, without_steps_the_whole_run_counts) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  const StreamId s = b.stream(1);
  b.kernel(s, 100, 150, "gemm", b.call(t, 0, 20));
  b.kernel(s, 400, 400, "last", b.call(t, 200, 210));  // lasts no time, at the end of the run
  const RunRecord r = record_run(b.build());
  EXPECT_EQ(r.steps, 0);
  EXPECT_EQ(r.wall_ns, 400);
  EXPECT_EQ(r.extent_ns, 400);
  EXPECT_EQ(row(r.work, kernel("last")).count, 1);
  EXPECT_TRUE(row(r.work, kernel("gemm")).step_count.empty());
  EXPECT_FALSE(r.conditions.contains("steps_by"));
  expect_exact(r);
}

TEST(GateRecord, warm_up_is_left_out) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  const StreamId s = b.stream(1);
  int64_t at = 0;
  for (int64_t i = 0; i < 8; ++i) {
    const int64_t length = i < 2 ? 1600 : 1000;
    b.push_pop(t, at, at + length, "step");
    b.kernel(s, at + 100, at + 200, i < 2 ? "first" : "gemm", b.call(t, at + 10, at + 20));
    at += length;
  }
  const RunRecord r = record_run(b.build());
  EXPECT_EQ(r.steps, 6);
  EXPECT_EQ(r.extent_ns, 6000);
  EXPECT_EQ(r.wall_ns, 9200);
  EXPECT_EQ(r.work.size(), 1);
  EXPECT_EQ(r.shapes.size(), 1) << "what only the warm-up launched is not in the record";
  expect_exact(r);
}

TEST(GateRecord, calls_know_what_they_do) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  int64_t at = 0;
  const auto call = [&](std::string_view name) {
    b.call(t, at, at + 10, name);
    at += 20;
  };
  for (const std::string_view name :
       {"cudaLaunchKernel_v7000", "cuLaunchKernelEx", "cudaGraphLaunch_v10000", "cudaLaunchHostFunc_v10000",
        "cudaMalloc_v3020", "cudaFree_v3020", "cuMemAlloc_v2", "cuMemGetAllocationGranularity",
        "cudaDeviceSynchronize_v3020", "cudaEventSynchronize_v3020", "cudaMemcpy_v3020", "cudaMalloc_v10000"}) {
    call(name);
  }
  const RunRecord r = record_run(b.build());
  EXPECT_TRUE(row(r.calls, "cudaLaunchKernel").launches);
  EXPECT_TRUE(row(r.calls, "cuLaunchKernelEx").launches);
  EXPECT_TRUE(row(r.calls, "cudaGraphLaunch").launches);
  EXPECT_FALSE(row(r.calls, "cudaLaunchHostFunc").launches);
  EXPECT_TRUE(row(r.calls, "cudaMalloc").allocates);
  EXPECT_EQ(row(r.calls, "cudaMalloc").count, 2) << "two versions of one call";
  EXPECT_EQ(row(r.calls, "cudaMalloc").duration_ns, 20);
  EXPECT_FALSE(row(r.calls, "cudaFree").allocates);
  EXPECT_TRUE(row(r.calls, "cuMemAlloc").allocates);
  EXPECT_FALSE(row(r.calls, "cuMemGetAllocationGranularity").allocates);
  EXPECT_TRUE(row(r.calls, "cudaDeviceSynchronize").synchronizes);
  EXPECT_TRUE(row(r.calls, "cudaEventSynchronize").synchronizes);
  EXPECT_FALSE(row(r.calls, "cudaMemcpy").synchronizes);
}

TEST(GateRecord, pageable_copies_stand_apart) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  const StreamId s = b.stream(1);
  for (int64_t i = 0; i < 3; ++i) {
    b.host_copy(s, i * 100, i * 100 + 10, CopyKind::host_to_device, i == 0 ? MemoryKind::pageable : MemoryKind::pinned,
                8, b.call(t, i * 100 - 20, i * 100 - 10));
  }
  const RunRecord r = record_run(b.build());
  ASSERT_EQ(r.work.size(), 2);
  EXPECT_FALSE(r.work[0].pageable);
  EXPECT_EQ(r.work[0].count, 2);
  EXPECT_TRUE(r.work[1].pageable);
  EXPECT_EQ(r.work[1].count, 1);
}

TEST(GateRecord, communication_is_told_from_computing) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  b.kernel(b.stream(1), 100, 200, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", b.call(t, 0, 10));
  b.kernel(b.stream(1), 150, 300, "gemm", b.call(t, 20, 30));
  const RunRecord r = record_run(b.build());
  EXPECT_EQ(r.gpus.at(0).communication_ns, 100);
  EXPECT_EQ(r.gpus.at(0).exposed_communication_ns, 50);
  EXPECT_TRUE(row(r.work, kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL")).communication);
  EXPECT_FALSE(row(r.work, kernel("gemm")).communication);
}

TEST(GateRecord, the_peak_of_memory_is_that_of_the_whole_run) {
  TraceBuilder b = steps(7);
  b.allocation(1, 0, 10, AllocationKind::allocate, 5000, 1);
  b.allocation(1, 0, 20, AllocationKind::release, 5000, 1);
  b.allocation(1, 0, 12'000, AllocationKind::allocate, 3000, 2);
  const RunRecord r = record_run(b.build());
  EXPECT_EQ(r.gpus.at(0).peak_memory_bytes, 5000);
  EXPECT_FALSE(r.gpus.at(1).peak_memory_bytes) << "nothing is known of it";
}

TEST(GateRecord, shapes_count_what_is_alike) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  const StreamId s = b.stream(1);
  for (int64_t i = 0; i < 5; ++i) {
    b.kernel(s, i * 100, i * 100 + 10, "gemm", b.call(t, i * 100 - 20, i * 100 - 10), {i < 3 ? 8U : 16U, 1, 1});
  }
  const RunRecord r = record_run(b.build());
  ASSERT_EQ(r.shapes.size(), 2);
  EXPECT_EQ(r.shapes[0].grid, (Dim3{8, 1, 1}));
  EXPECT_EQ(r.shapes[0].count, 3);
  EXPECT_EQ(r.shapes[1].count, 2);
  EXPECT_FALSE(r.shapes[0].registers_per_thread) << "not recorded";
}

TEST(GateRecord, shapes_have_occupancy_by_formula) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  Device& device = b.device();
  device.compute_major = 8;
  device.compute_minor = 0;
  device.sm_count = 108;
  b.kernel(b.stream(1), 0, 10, "gemm", b.call(t, -20, -10));
  Trace trace = b.build();
  trace.kernels.registers = {72};
  trace.kernels.shared_bytes = {0};
  trace.kernels.local_bytes_per_thread = {16};
  const RunRecord r = record_run(trace);
  ASSERT_EQ(r.shapes.size(), 1);
  EXPECT_EQ(r.shapes[0].registers_per_thread, 72);
  EXPECT_EQ(r.shapes[0].shared_bytes_per_block, 0);
  EXPECT_EQ(r.shapes[0].local_bytes_per_thread, 16);
  EXPECT_EQ(r.shapes[0].blocks_per_sm, 3) << "65536 registers hold 3 blocks of 256 threads with 72";
  EXPECT_EQ(r.shapes[0].theoretical_occupancy_percent, 37.5);
}

TEST(GateRecord, graph_nodes_of_a_step) {
  TraceBuilder b = steps(7);
  Trace trace = b.build();
  EXPECT_EQ(record_run(trace).graph_nodes, 0) << "its calls are recorded, and none launches a graph";
  trace.kernels.graph_node.assign(row_count(trace.kernels), 4);
  EXPECT_EQ(record_run(trace).graph_nodes, 2);
  TraceBuilder whole;
  const ThreadId t = whole.thread(1, 1);
  whole.graph_launch(whole.stream(1), 100, 200, whole.call(t, 0, 10, "cudaGraphLaunch_v10000"));
  EXPECT_FALSE(record_run(whole.build()).graph_nodes) << "the graph was traced as a whole";
}

TEST(GateRecord, idle_time_has_cause_module_and_call) {
  const RunRecord r = record_run(steps(7).build());
  const auto found =
      std::ranges::find_if(r.idle, [](const IdleGroup& g) { return g.gpu == 0 && g.what == "cudaStreamSynchronize"; });
  ASSERT_NE(found, r.idle.end());
  EXPECT_EQ(found->cause, "synchronization");
  EXPECT_EQ(found->module, "step");
}

TEST(GateRecord, the_clock_comes_from_gpu_metrics_within_the_extent) {
  Trace trace = steps(7).build();
  Counter& clock = trace.counters.emplace_back();
  clock.name = trace.names.intern("GPC Clock Frequency [MHz]");
  clock.device = 0;
  clock.type_id = 0;
  trace.counter_values.start = {9'000, 10'000, 13'495, 16'990, 20'000};
  trace.counter_values.counter = {0, 0, 0, 0, 0};
  trace.counter_values.value = {100, 100, 1400, 1600, 100};
  const RunRecord r = record_run(trace);
  EXPECT_EQ(r.gpus.at(0).sm_clock_hz, 1500e6);
  EXPECT_FALSE(r.gpus.at(1).sm_clock_hz);
}

TEST(GateRecord, of_an_empty_trace_there_is_nothing) {
  const RunRecord r = record_run(TraceBuilder().build());
  EXPECT_EQ(r.extent_ns, 0);
  EXPECT_TRUE(r.work.empty());
  EXPECT_TRUE(r.gpus.empty());
}

}  // namespace gate_record_test
}  // namespace sonde::gate
