#include <gtest/gtest.h>

#include "analyses/calls/api_label.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace call_summary_test {

using Texts = std::vector<std::string>;

TEST(OsrtSum, TellsRuntimeFromSystemCalls) {
  TraceBuilder b;
  const ThreadId t = b.thread(10, 11);
  b.os_call(t, 0, 10, "poll");
  b.os_call(t, 20, 50, "poll");
  b.os_call(t, 60, 65, "ioctl");
  b.os_call(t, 70, 77, "sys_futex", CallClass::syscall);
  b.os_call(t, 80, kUnknown, "never ends");
  const Trace trace = b.build();
  const Table os = run_report("osrt_sum", trace);
  EXPECT_EQ(headers(os), (Texts{"Time", "Total Time", "Num Calls", "Avg", "Med", "Min", "Max", "StdDev", "Name"}));
  EXPECT_EQ(cells(os, "Name"), (Texts{"poll", "ioctl"}));
  EXPECT_EQ(cells(os, "Num Calls"), (Texts{"2", "1"}));
  EXPECT_EQ(cells(os, "Time"), (Texts{"88.9", "11.1"}));
  EXPECT_EQ(cells(run_report("syscall_sum", trace), "Name"), (Texts{"sys_futex"}));
}

TEST(ApiLabel, CutsFourDigitVersionsOnly) {
  EXPECT_EQ(api_label("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(api_label("cudaGraphLaunch_v10000"), "cudaGraphLaunch_v10000");
  EXPECT_EQ(api_label("cuMemcpyHtoDAsync_v2"), "cuMemcpyHtoDAsync_v2");
  EXPECT_EQ(api_label("cuLaunchKernel"), "cuLaunchKernel");
  EXPECT_EQ(api_label("_v7000"), "_v7000");
}

}  // namespace call_summary_test
}  // namespace sonde
