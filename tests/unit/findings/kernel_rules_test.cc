#include <gtest/gtest.h>

#include "shared/ask_rule.h"
#include "shared/trace_builder.h"

/// The rules on how kernels run: 20 kernels on an A100.
namespace sonde {
namespace kernel_rules_test {

Diagnosis small_grid_with(uint32_t blocks) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 1);
  const StreamId stream = b.stream(1);
  Device& device = b.device();
  device.compute_major = 8;
  device.compute_minor = 0;
  device.sm_count = 108;
  for (int64_t i = 0; i < 20; ++i) {  // the host is far ahead
    const uint32_t launch = b.call(thread, i * 2'000, i * 2'000 + 1'000);
    b.kernel(stream, 10'000 + i * 80'000, 90'000 + i * 80'000, "narrow", launch, {blocks, 1, 1});
  }
  b.call(thread, 40'000, 1'611'000, "cudaDeviceSynchronize_v3020");  // a run ends with its host
  return ask_rule("small_grid", b.build());
}

TEST(KernelRules, FewBlocksLeaveSmsIdle) {
  const Diagnosis diagnosis = small_grid_with(10);
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  EXPECT_EQ(diagnosis.findings.front().id, "small_grid");
  EXPECT_GT(diagnosis.findings.front().ceiling_ns, 0);
}

TEST(KernelRules, ABlockForEachSmIsNoSmallGrid) { EXPECT_TRUE(small_grid_with(108).findings.empty()); }

}  // namespace kernel_rules_test
}  // namespace sonde
