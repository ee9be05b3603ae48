#include <gtest/gtest.h>

#include "shared/trace_builder.h"

namespace sonde {
namespace kernel_launches_test {

using Texts = std::vector<std::string>;

/// The first kernel waits 78 ns after its call, the second starts while its call runs and ends after it, the third's
/// call returns last.
Trace launches() {
  TraceBuilder b;
  const ThreadId t = b.thread(10, 11);
  const StreamId s = b.stream(10, 1);
  b.push_pop(t, 0, 1000, "step");
  b.push_pop(t, 290, 350, "layer", b.domain("model"));
  b.kernel(s, 200, 250, "k", b.call(t, 100, 122), {148, 1, 1});
  b.kernel(s, 310, 340, "k", b.call(t, 300, 320), {10, 20, 30});
  b.kernel(s, 405, 410, "k", b.call(t, 400, 420));
  b.kernel(s, 500, 510, "lost", b.unlinked());
  return b.build();
}

TEST(KernExecTrace, SplitsALaunchIntoPhases) {
  const Trace trace = launches();
  const Table table = run_report("cuda_kern_exec_trace:base", trace);
  EXPECT_EQ(headers(table),
            (Texts{"API Start", "API Dur", "Queue Start", "Queue Dur", "Kernel Start", "Kernel Dur", "Total Dur", "PID",
                   "TID", "DevId", "API Function", "GridXYZ", "BlockXYZ", "Kernel Name"}));
  EXPECT_EQ(cells(table, "API Start"), (Texts{"100", "300", "400"}));
  EXPECT_EQ(cells(table, "API Dur"), (Texts{"22", "20", "20"}));
  EXPECT_EQ(cells(table, "Queue Start"), (Texts{"122", "-", "-"}));
  EXPECT_EQ(cells(table, "Queue Dur"), (Texts{"78", "-", "-"}));
  EXPECT_EQ(cells(table, "Total Dur"), (Texts{"150", "40", "20"}));
  EXPECT_EQ(cells(table, "DevId"), (Texts{"1", "1", "1"}));
  EXPECT_EQ(cells(table, "API Function"), Texts(3, "cudaLaunchKernel"));
  EXPECT_EQ(cells(table, "GridXYZ"), (Texts{" 148    1    1", "  10   20   30", "   1    1    1"}));
}

TEST(KernExecTrace, PutsTheInnermostRangeBeforeTheKernel) {
  const Trace trace = launches();
  const Table table = run_report("cuda_kern_exec_trace:nvtx-name:base", trace);
  EXPECT_EQ(cells(table, "Kernel Name"), (Texts{":step/k", "model:layer/k", ":step/k"}));
}

TEST(KernExecSum, TakesOnlyQueuedKernelsIntoTheQueueFigures) {
  const Trace trace = launches();
  const Table table = run_report("cuda_kern_exec_sum:base", trace);
  EXPECT_EQ(headers(table),
            (Texts{"PID",     "TID",     "DevId", "Count", "QCount", "TAvg",    "TMed",    "TMin",     "TMax",
                   "TStdDev", "AAvg",    "AMed",  "AMin",  "AMax",   "AStdDev", "QAvg",    "QMed",     "QMin",
                   "QMax",    "QStdDev", "KAvg",  "KMed",  "KMin",   "KMax",    "KStdDev", "API Name", "Kernel Name"}));
  EXPECT_EQ(cells(table, "Count"), (Texts{"3"}));
  EXPECT_EQ(cells(table, "QCount"), (Texts{"1"}));
  EXPECT_EQ(cells(table, "TAvg"), (Texts{"70.0"}));
  EXPECT_EQ(cells(table, "QAvg"), (Texts{"78.0"}));
  EXPECT_EQ(cells(table, "QStdDev"), (Texts{"0.0"}));
  EXPECT_EQ(cells(table, "KMax"), (Texts{"50"}));
}

TEST(KernExecSum, HasNoQueueFiguresWithoutAQueue) {
  TraceBuilder b;
  const ThreadId t = b.thread(10, 11);
  b.kernel(b.stream(10), 105, 110, "k", b.call(t, 100, 120));
  const Trace trace = b.build();
  const Table table = run_report("cuda_kern_exec_sum", trace);
  EXPECT_EQ(cells(table, "QCount"), (Texts{"0"}));
  EXPECT_EQ(cells(table, "QAvg"), (Texts{"-"}));
  EXPECT_EQ(cells(table, "QMin"), (Texts{"-"}));
}

}  // namespace kernel_launches_test
}  // namespace sonde
