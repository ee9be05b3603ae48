#include <gtest/gtest.h>

#include "shared/trace_builder.h"

namespace sonde {
namespace unified_memory_test {

using Texts = std::vector<std::string>;

Trace managed_memory() {
  TraceBuilder b;
  const StreamId s = b.stream(10);
  b.migration(s, 0, 1000, CopyKind::unified_host_to_device, 2'000'000, 0x7F0000000000);
  b.migration(s, 1000, 2000, CopyKind::unified_device_to_host, 1'000'000, 0x7F0000000000);
  b.migration(s, 2000, 2500, CopyKind::unified_host_to_device, 500'000, 0x7F0000010000);
  b.copy(s, 3000, 4000, b.unlinked());
  b.cpu_fault(100, 0x7F0000000000, "main+0x10");
  b.cpu_fault(200, 0x7F0000020000, "main+0x10");
  b.cpu_fault(300, 0x7F0000020000, "fill+0x4");
  b.gpu_fault(400, 0x7F0000010000, 12);
  return b.build();
}

TEST(UmSum, SumsByAddress) {
  const Trace trace = managed_memory();
  const Table table = run_report("um_sum", trace);
  EXPECT_EQ(headers(table), (Texts{"Virtual Address", "HtoD Migration Size", "DtoH Migration Size", "CPU Page Faults",
                                   "GPU PageFaults", "Migration Throughput"}));
  EXPECT_EQ(cells(table, "Virtual Address"), (Texts{"0x7F0000000000", "0x7F0000010000", "0x7F0000020000"}));
  EXPECT_EQ(cells(table, "HtoD Migration Size"), (Texts{"2.000", "0.500", "0.000"}));
  EXPECT_EQ(cells(table, "DtoH Migration Size"), (Texts{"1.000", "0.000", "0.000"}));
  EXPECT_EQ(cells(table, "CPU Page Faults"), (Texts{"1", "0", "2"}));
  EXPECT_EQ(cells(table, "GPU PageFaults"), (Texts{"0", "12", "0"}));
  EXPECT_EQ(cells(table, "Migration Throughput"), (Texts{"1500000.000", "1000000.000", "-"}));
}

TEST(UmSum, ListsAsManyRowsAsAsked) {
  const Trace trace = managed_memory();
  EXPECT_EQ(run_report("um_sum:rows=1", trace).rows(), 1U);
  EXPECT_EQ(run_report("um_sum:rows=-1", trace).rows(), 3U);
}

TEST(UmTotalSum, SumsAllAndBoundsTheAddresses) {
  const Trace trace = managed_memory();
  const Table table = run_report("um_total_sum", trace);
  EXPECT_EQ(headers(table), (Texts{"Total HtoD Migration Size", "Total DtoH Migration Size", "Total CPU Page Faults",
                                   "Total GPU PageFaults", "Minimum Virtual Address", "Maximum Virtual Address"}));
  EXPECT_EQ(cells(table, "Total HtoD Migration Size"), (Texts{"2.500"}));
  EXPECT_EQ(cells(table, "Total CPU Page Faults"), (Texts{"3"}));
  EXPECT_EQ(cells(table, "Total GPU PageFaults"), (Texts{"12"}));
  EXPECT_EQ(cells(table, "Minimum Virtual Address"), (Texts{"0x7F0000000000"}));
  EXPECT_EQ(cells(table, "Maximum Virtual Address"), (Texts{"0x7F0000020000"}));
}

TEST(UmTotalSum, DoesNotCallUnrecordedFaultsZero) {
  TraceBuilder b;
  b.migration(b.stream(10), 0, 10, CopyKind::unified_host_to_device, 4096, 0x1000);
  const Trace trace = b.build();
  EXPECT_EQ(cells(run_report("um_total_sum", trace), "Total CPU Page Faults"), (Texts{"-"}));
  EXPECT_EQ(cells(run_report("um_sum", trace), "GPU PageFaults"), (Texts{"-"}));
}

TEST(UmCpuPageFaultsSum, CountsByInstruction) {
  const Trace trace = managed_memory();
  const Table table = run_report("um_cpu_page_faults_sum", trace);
  EXPECT_EQ(cells(table, "CPU Page Faults"), (Texts{"2", "1"}));
  EXPECT_EQ(cells(table, "CPU Instruction Address"), (Texts{"main+0x10", "fill+0x4"}));
}

}  // namespace unified_memory_test
}  // namespace sonde
