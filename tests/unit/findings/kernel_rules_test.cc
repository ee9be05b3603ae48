#include <gtest/gtest.h>

#include "shared/ask_rule.h"
#include "shared/trace_builder.h"

/// The rules on how kernels run: 20 kernels on a GPU with 100 SMs.
namespace sonde {
namespace kernel_rules_test {

Diagnosis small_grid_with(uint32_t blocks) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 1);
  const StreamId stream = b.stream(1);
  b.device().sm_count = 100;
  for (int64_t i = 0; i < 20; ++i) {  // the host is far ahead
    const uint32_t launch = b.call(thread, i * 2'000, i * 2'000 + 1'000);
    b.kernel(stream, 10'000 + i * 80'000, 90'000 + i * 80'000, "narrow", launch, {blocks, 1, 1});
  }
  return ask_rule("small_grid", b.build());
}

TEST(KernelRules, FewBlocksLeaveSmsIdle) {
  const Diagnosis diagnosis = small_grid_with(10);
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  EXPECT_EQ(diagnosis.findings.front().id, "small_grid");
  EXPECT_GT(diagnosis.findings.front().ceiling_ns, 0);
}

TEST(KernelRules, ABlockForEachSmIsNoSmallGrid) { EXPECT_TRUE(small_grid_with(100).findings.empty()); }

}  // namespace kernel_rules_test
}  // namespace sonde
