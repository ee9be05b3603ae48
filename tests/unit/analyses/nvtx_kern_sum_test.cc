#include <gtest/gtest.h>

#include "shared/trace_builder.h"

namespace sonde {
namespace nvtx_kern_sum_test {

using Texts = std::vector<std::string>;

Trace kernels_in_ranges() {
  TraceBuilder b;
  const ThreadId one = b.thread(10, 11);
  const ThreadId two = b.thread(10, 12);
  const StreamId s = b.stream(10);
  b.push_pop(one, 0, 100, "step");
  b.push_pop(one, 10, 60, "layer", b.domain("model"));
  b.push_pop(two, 0, 100, "step");
  b.start_end(one, one, 40, 90, "window");
  b.kernel(s, 1000, 1100, "gemm", b.call(one, 20, 21));
  b.kernel(s, 1100, 1400, "gemm", b.call(one, 50, 51));
  b.kernel(s, 1500, 1510, "relu", b.call(two, 50, 51));
  b.kernel(s, 1600, 1601, "init", b.call(two, 200, 201));  // outside of all ranges: not listed
  b.kernel(s, 1700, 1800, "lost", b.unlinked());
  return b.build();
}

TEST(NvtxKernSum, CountsAKernelInEveryRangeThatHoldsItsLaunch) {
  const Trace trace = kernels_in_ranges();
  const Table table = run_report("nvtx_kern_sum:base", trace);
  EXPECT_EQ(headers(table), (Texts{"NVTX Range", "Style", "PID", "TID", "NVTX Inst", "Kern Inst", "Total Time", "Avg",
                                   "Med", "Min", "Max", "StdDev", "Kernel Name"}));
  EXPECT_EQ(cells(table, "NVTX Range"), (Texts{":step", "model:layer", ":window", ":step"}));
  EXPECT_EQ(cells(table, "Style"), (Texts{"PushPop", "PushPop", "StartEnd", "PushPop"}));
  EXPECT_EQ(cells(table, "TID"), (Texts{"11", "11", "11", "12"}));
  EXPECT_EQ(cells(table, "NVTX Inst"), (Texts{"1", "1", "1", "1"}));
  EXPECT_EQ(cells(table, "Kern Inst"), (Texts{"2", "2", "1", "1"}));
  EXPECT_EQ(cells(table, "Total Time"), (Texts{"400", "400", "300", "10"}));
  EXPECT_EQ(cells(table, "Kernel Name"), (Texts{"gemm", "gemm", "gemm", "relu"}));
}

TEST(NvtxKernSum, CountsInstancesOfRangesNotOfKernels) {
  TraceBuilder b;
  const ThreadId t = b.thread(10, 11);
  const StreamId s = b.stream(10);
  b.push_pop(t, 0, 100, "again");
  b.push_pop(t, 10, 60, "again");  // inside one of its own name: the kernel counts in both
  b.kernel(s, 1000, 1010, "k", b.call(t, 20, 21));
  b.kernel(s, 1010, 1020, "k", b.call(t, 30, 31));
  const Trace trace = b.build();
  const Table table = run_report("nvtx_kern_sum", trace);
  EXPECT_EQ(cells(table, "NVTX Inst"), (Texts{"2"}));
  EXPECT_EQ(cells(table, "Kern Inst"), (Texts{"4"}));
  EXPECT_EQ(cells(table, "Total Time"), (Texts{"40"}));
}

TEST(NvtxKernSum, NamesKernelsAsAsked) {
  const Trace trace = kernels_in_ranges();
  EXPECT_EQ(cells(run_report("nvtx_kern_sum", trace), "Kernel Name").front(), "void gemm<float>(int)");
  EXPECT_EQ(cells(run_report("nvtx_kern_sum:mangled", trace), "Kernel Name").front(), "_Z4gemm");
}

}  // namespace nvtx_kern_sum_test
}  // namespace sonde
