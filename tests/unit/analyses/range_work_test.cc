#include "analyses/ranges/range_work.h"

#include <random>

#include <gtest/gtest.h>

#include "shared/trace_builder.h"

namespace sonde {
namespace range_work_test {

using Texts = std::vector<std::string>;

/// step [0,100) > forward [10,60) > idle [12,18) and gemm [20,30), all on thread 11. The copy is launched in step only,
/// two kernels and a graph in forward, one of them in gemm. One kernel has no launch.
Trace step_with_work() {
  TraceBuilder b;
  const ThreadId t = b.thread(10, 11);
  const ThreadId other = b.thread(10, 12);
  const StreamId s = b.stream(10);
  b.push_pop(t, 0, 100, "step");
  b.push_pop(t, 10, 60, "forward");
  b.push_pop(t, 12, 18, "idle");
  b.push_pop(t, 20, 30, "gemm", b.domain("cublas"));
  b.start_end(t, t, 15, 55, "window");
  b.start_end(t, other, 15, 55, "handed over");
  b.copy(s, 1000, 1100, b.call(t, 5, 6, "cudaMemcpyAsync_v3020"));
  b.kernel(s, 1200, 1300, "a", b.call(t, 21, 22));
  b.kernel(s, 1300, 1500, "b", b.call(t, 50, 53));
  b.graph_launch(s, 1600, 1900, b.call(t, 54, 58, "cudaGraphLaunch_v10000"));
  b.kernel(s, 1, 5000, "lost", b.unlinked());
  b.kernel(s, 2000, 2100, "elsewhere", b.call(other, 20, 25));
  return b.build();
}

TEST(GpuProjTrace, ProjectsRangesOntoTheirWork) {
  const Trace trace = step_with_work();
  const Table table = run_report("nvtx_gpu_proj_trace", trace);
  EXPECT_EQ(headers(table),
            (Texts{"Name", "Projected Start", "Projected Duration", "Orig Start", "Orig Duration", "Style", "PID",
                   "TID", "NumGPUOps", "Lvl", "NumChild", "RangeId", "ParentId", "RangeStack"}));
  EXPECT_EQ(cells(table, "Name"), (Texts{":step", ":forward", ":window", "cublas:gemm"}));
  EXPECT_EQ(cells(table, "Projected Start"), (Texts{"1000", "1200", "1200", "1200"}));
  EXPECT_EQ(cells(table, "Projected Duration"), (Texts{"900", "700", "300", "100"}));
  EXPECT_EQ(cells(table, "NumGPUOps"), (Texts{"4", "3", "2", "1"}));
  EXPECT_EQ(cells(table, "Style"), (Texts{"PushPop", "PushPop", "StartEnd", "PushPop"}));
}

TEST(GpuProjTrace, CountsOnlyChildrenWithWork) {
  const Trace trace = step_with_work();
  const Table table = run_report("nvtx_gpu_proj_trace", trace);
  EXPECT_EQ(cells(table, "Lvl"), (Texts{"0", "1", "0", "2"}));
  EXPECT_EQ(cells(table, "NumChild"), (Texts{"1", "1", "0", "0"}));
  EXPECT_EQ(cells(table, "RangeStack"), (Texts{":1", ":1:2", ":4", ":1:2:6"}));
}

TEST(GpuProjSum, SumsProjectionsByName) {
  TraceBuilder b;
  const ThreadId t = b.thread(10, 11);
  const StreamId s = b.stream(10);
  for (const int64_t at : {0, 100, 200}) {
    b.push_pop(t, at, at + 50, "step");
    b.push_pop(t, at + 10, at + 40, "layer");
    b.kernel(s, 10 * at + 1000, 10 * at + 1100, "k", b.call(t, at + 20, at + 21));
  }
  b.copy(s, 1500, 1600, b.call(t, 45, 46));
  b.push_pop(t, 300, 400, "step");  // launches nothing
  const Trace trace = b.build();
  const Table table = run_report("nvtx_gpu_proj_sum", trace);
  EXPECT_EQ(headers(table), (Texts{"Range", "Style", "Total Proj Time", "Total Range Time", "Range Instances",
                                   "Proj Avg", "Proj Med", "Proj Min", "Proj Max", "Proj StdDev", "Total GPU Ops",
                                   "Avg GPU Ops", "Avg Range Lvl", "Avg Num Child"}));
  EXPECT_EQ(cells(table, "Range"), (Texts{":step", ":layer"}));
  EXPECT_EQ(cells(table, "Total Proj Time"), (Texts{"800", "300"}));
  EXPECT_EQ(cells(table, "Total Range Time"), (Texts{"150", "90"}));
  EXPECT_EQ(cells(table, "Range Instances"), (Texts{"3", "3"}));
  EXPECT_EQ(cells(table, "Proj Avg"), (Texts{"266.7", "100.0"}));
  EXPECT_EQ(cells(table, "Avg GPU Ops"), (Texts{"1.3", "1.0"}));
  EXPECT_EQ(cells(table, "Avg Range Lvl"), (Texts{"0.0", "1.0"}));
  EXPECT_EQ(cells(table, "Avg Num Child"), (Texts{"1.0", "0.0"}));
}

TEST(GpuProjTrace, LeavesOpenRangesOutButTheirChildrenIn) {
  TraceBuilder b;
  const ThreadId t = b.thread(10, 11);
  const StreamId s = b.stream(10);
  b.push_pop(t, 0, kUnknown, "open");
  b.push_pop(t, 10, 20, "closed");
  b.kernel(s, 100, 200, "k", b.call(t, 12, 13));
  const Trace trace = b.build();
  const Table table = run_report("nvtx_gpu_proj_trace", trace);
  EXPECT_EQ(cells(table, "Name"), (Texts{":closed"}));
  EXPECT_EQ(cells(table, "Lvl"), (Texts{"0"}));
}

/// Ranges nested at random on several threads, and calls at random times.
Trace random_trace(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  TraceBuilder b;
  const DomainId other = b.domain("other");
  const ThreadId threads[] = {b.thread(1, 1), b.thread(1, 2)};
  const StreamId s = b.stream(1);
  for (int i = 0; i < 60; ++i) {
    const int64_t start = below(200);
    const ThreadId t = threads[below(2)];
    const int64_t end = start + below(60);
    if (below(4) == 0) {
      b.start_end(t, threads[below(2)], start, end, "s");
    } else {
      b.push_pop(t, start, end, "p", below(2) == 0 ? DomainId{0} : other);
    }
    const int64_t called = below(250);
    const int64_t runs = below(1000);
    b.kernel(s, runs, runs + below(50), "k", b.call(threads[below(2)], called, called + 1 + below(4)));
  }
  return b.build();
}

/// Whether the range holds the call by its times: the boundaries of link().
bool holds(const Trace& trace, Row range, Row call) {
  const Ranges& r = trace.ranges;
  return r.thread[range] == trace.api.thread[call] && r.start[range] <= trace.api.start[call] &&
         r.end[range] >= trace.api.end[call];
}

TEST(RangeWork, AgreesWithEveryRangeAgainstEveryCallForStartEndRanges) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Trace trace = random_trace(seed);
    const RangeWork work = work_of_ranges(trace);
    for (Row range = 0; range < work.ops.size(); ++range) {
      if (trace.ranges.style[range] != static_cast<uint8_t>(RangeStyle::start_end)) continue;
      uint32_t ops = 0;
      for (const Row call : trace.kernels.launch) ops += holds(trace, range, call) ? 1 : 0;
      if (trace.ranges.end_thread[range] != trace.ranges.thread[range]) ops = 0;
      EXPECT_EQ(work.ops[range], ops) << "seed " << seed << " range " << range;
    }
  }
}

/// Push/pop ranges of one domain nest properly; then the fold must give what a join of intervals gives.
TEST(RangeWork, AgreesWithEveryRangeAgainstEveryCallForNestedRanges) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    TraceBuilder b;
    const ThreadId t = b.thread(1, 1);
    const StreamId s = b.stream(1);
    std::vector<int64_t> open;
    int64_t now = 0;
    for (int i = 0; i < 200; ++i) {
      now += 1 + static_cast<int64_t>(random() % 3);
      switch (random() % 3) {
        case 0: open.push_back(now); break;
        case 1:
          if (!open.empty()) {
            b.push_pop(t, open.back(), now, "p");
            open.pop_back();
          }
          break;
        default: b.kernel(s, 1000 - now, 1001, "k", b.call(t, now, now + 1)); ++now;
      }
    }
    const Trace trace = b.build();
    const RangeWork work = work_of_ranges(trace);
    for (Row range = 0; range < work.ops.size(); ++range) {
      uint32_t ops = 0;
      for (const Row call : trace.kernels.launch) ops += holds(trace, range, call) ? 1 : 0;
      EXPECT_EQ(work.ops[range], ops) << "seed " << seed << " range " << range;
    }
  }
}

}  // namespace range_work_test
}  // namespace sonde
