#include <gtest/gtest.h>

#include "shared/trace_builder.h"

namespace sonde {
namespace range_summary_test {

using Texts = std::vector<std::string>;

Trace ranges_of_all_sorts() {
  TraceBuilder b;
  const ThreadId one = b.thread(10, 11);
  const ThreadId two = b.thread(10, 12);
  const DomainId nccl = b.domain("NCCL");
  b.push_pop(one, 0, 100, "step");
  b.push_pop(two, 50, 350, "step");
  b.push_pop(one, 10, 30, "step", nccl);
  b.start_end(one, two, 0, 390, "step");
  b.push_pop(one, 500, kUnknown, "open");
  return b.build();
}

TEST(NvtxSum, GroupsByDomainNameAndStyle) {
  const Trace trace = ranges_of_all_sorts();
  const Table table = run_report("nvtx_sum", trace);
  EXPECT_EQ(headers(table),
            (Texts{"Time", "Total Time", "Instances", "Avg", "Med", "Min", "Max", "StdDev", "Style", "Range"}));
  EXPECT_EQ(cells(table, "Range"), (Texts{":step", ":step", "NCCL:step"}));
  EXPECT_EQ(cells(table, "Style"), (Texts{"PushPop", "StartEnd", "PushPop"}));
  EXPECT_EQ(cells(table, "Total Time"), (Texts{"400", "390", "20"}));
  EXPECT_EQ(cells(table, "Instances"), (Texts{"2", "1", "1"}));
  EXPECT_EQ(cells(table, "Time"), (Texts{"49.4", "48.1", "2.5"}));
}

TEST(NvtxSum, PrintsFiguresOfASample) {
  const Trace trace = ranges_of_all_sorts();
  const Table table = run_report("nvtx_sum", trace);
  EXPECT_EQ(cells(table, "Avg").front(), "200.0");
  EXPECT_EQ(cells(table, "Med").front(), "200.0");
  EXPECT_EQ(cells(table, "Min").front(), "100");
  EXPECT_EQ(cells(table, "Max").front(), "300");
  EXPECT_EQ(cells(table, "StdDev").front(), "141.4");
  EXPECT_EQ(cells(table, "StdDev").back(), "0.0");
}

TEST(NvtxPushPopSum, LeavesOutOtherStylesAndOpenRanges) {
  const Trace trace = ranges_of_all_sorts();
  const Table table = run_report("nvtx_pushpop_sum", trace);
  EXPECT_EQ(cells(table, "Range"), (Texts{":step", "NCCL:step"}));
  EXPECT_EQ(headers(table).back(), "Range");
  EXPECT_EQ(headers(table).size(), 9U);
}

TEST(NvtxStartEndSum, CountsRangesThatEndOnAnotherThread) {
  const Trace trace = ranges_of_all_sorts();
  const Table table = run_report("nvtx_startend_sum", trace);
  EXPECT_EQ(cells(table, "Range"), (Texts{":step"}));
  EXPECT_EQ(cells(table, "Total Time"), (Texts{"390"}));
}

TEST(NvtxSum, SortsEqualTotalsByName) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  b.push_pop(t, 0, 10, "b");
  b.push_pop(t, 20, 30, "c");
  b.push_pop(t, 40, 50, "a");
  const Trace trace = b.build();
  EXPECT_EQ(cells(run_report("nvtx_sum", trace), "Range"), (Texts{":a", ":b", ":c"}));
}

TEST(NvtxSum, HasNoRowsWithoutRanges) {
  const Trace trace = TraceBuilder().build();
  for (const auto name :
       {"nvtx_sum", "nvtx_pushpop_sum", "nvtx_startend_sum", "nvtx_pushpop_trace", "nvtx_kern_sum", "nvtx_gpu_proj_sum",
        "nvtx_gpu_proj_trace", "osrt_sum", "syscall_sum", "um_sum", "um_total_sum", "um_cpu_page_faults_sum",
        "cuda_kern_exec_sum", "cuda_kern_exec_trace", "torch_op_sum", "torch_module_sum"}) {
    const Table table = run_report(name, trace);
    EXPECT_EQ(table.rows(), 0U) << name;
    EXPECT_FALSE(table.columns.empty()) << name;
    EXPECT_EQ(table.name, name);
    EXPECT_FALSE(table.title.empty()) << name;
  }
}

}  // namespace range_summary_test
}  // namespace sonde
