#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "analyses/replay/replay.h"
#include "shared/loop_trace.h"
#include "trace/columns.h"

/// The rules on memory and copies: one loop of ten steps of a millisecond, changed by what each rule looks for.
namespace sonde {
namespace memory_rules_test {

using Loop = LoopTrace;

constexpr int64_t kStep = Loop::kStepNs;
constexpr int kSteps = Loop::kSteps;

void free_in_each_step(Loop& loop, std::string_view name) {
  loop.each_step([&](int64_t t) { loop.builder.call(loop.thread, t + 20'000, t + 590'000, name); });
}

TEST(MemoryRules, AFreeInEachStepCostsItsWaitToo) {
  Loop loop;
  free_in_each_step(loop, "cudaFree_v3020");
  const Diagnosis diagnosis = loop.ask("steady_allocation");
  ASSERT_EQ(conclusions_of(diagnosis), "steady_allocation ");
  // The host stays ahead, and kernel follows kernel: all but their 850 us a step.
  EXPECT_NEAR(static_cast<double>(diagnosis.findings.front().ceiling_ns), 150'000.0 * kSteps, 50'000);
  EXPECT_EQ(diagnosis.findings.front().evidence.front().what, "cudaFree");
}

TEST(MemoryRules, AsynchronousAllocationIsTheRemedy) {
  Loop loop;
  free_in_each_step(loop, "cudaFreeAsync_v11020");
  EXPECT_EQ(conclusions_of(loop.ask("steady_allocation")), "");
}

TEST(MemoryRules, WithoutStepsNothingTellsSetUpFromALoop) {
  Loop loop(false);
  free_in_each_step(loop, "cudaFree_v3020");
  EXPECT_EQ(conclusions_of(loop.ask("steady_allocation")), "no conclusion: steady_calls.no_steps ");
}

TEST(MemoryRules, CodeLoadedInEachStep) {
  Loop loop;
  loop.each_step([&](int64_t t) { loop.builder.call(loop.thread, t + 500'000, t + 590'000, "cuLibraryLoadData"); });
  EXPECT_EQ(conclusions_of(loop.ask("steady_load")), "steady_load ");
}

void copy_in_each_step(Loop& loop, CopyKind kind, MemoryKind host) {
  loop.each_step([&](int64_t t) {
    const uint32_t call = loop.builder.call(loop.thread, t + 20'000, t + 550'000, "cudaMemcpy_v3020");
    loop.builder.host_copy(loop.stream, t + 501'000, t + 503'000, kind, host, 4096, call);
  });
}

TEST(MemoryRules, ABlockingCopyInTheMiddleOfAStep) {
  Loop loop;
  copy_in_each_step(loop, CopyKind::device_to_host, MemoryKind::pinned);
  EXPECT_EQ(conclusions_of(loop.ask("sync_copy")), "sync_copy ");
}

TEST(MemoryRules, PageableMemoryIsReadBeforeItsCopyReturns) {
  Loop loop;
  copy_in_each_step(loop, CopyKind::host_to_device, MemoryKind::pageable);
  EXPECT_EQ(conclusions_of(loop.ask("sync_copy")), "");
}

TEST(MemoryRules, ACopyThatAWaitFollowsIsTheWaits) {
  const auto loop_of = [] {
    Loop loop;
    copy_in_each_step(loop, CopyKind::device_to_host, MemoryKind::pageable);
    loop.each_step(
        [&](int64_t t) { loop.builder.call(loop.thread, t + 550'000, t + 560'000, "cudaStreamSynchronize_v3020"); });
    return loop;
  };
  EXPECT_EQ(conclusions_of(loop_of().ask("sync_copy")), "");
  EXPECT_EQ(conclusions_of(loop_of().ask("sync_in_loop")), "sync_in_loop ");
}

/// All is launched early, and waited for at the end of each step.
Loop loop_ahead() {
  Loop loop(true, 120'000);
  loop.builder.call(loop.thread, 1000, 3000, "cudaStreamSynchronize_v3020");  // what one takes without a wait
  loop.each_step(
      [&](int64_t t) { loop.builder.call(loop.thread, t + 130'000, t + 985'000, "cudaStreamSynchronize_v3020"); });
  return loop;
}

/// 4 MiB in front of the second kernel.
Loop input_copies(const std::function<int64_t(int)>& duration_ns, MemoryKind host) {
  Loop loop = loop_ahead();
  for (int i = 0; i < kSteps; ++i) {
    const int64_t t = i * kStep + 501'000;
    const uint32_t call = loop.builder.call(loop.thread, t - 400'000, t - 395'000, "cudaMemcpyAsync_v3020");
    loop.builder.host_copy(loop.stream, t, t + duration_ns(i), CopyKind::host_to_device, host, 4 << 20, call);
  }
  return loop;
}

TEST(MemoryRules, CopiesBelowHalfOfTheBest) {
  Loop loop = input_copies([](int i) { return i < 4 ? 20'000 : 100'000; }, MemoryKind::pinned);
  const Diagnosis diagnosis = loop.ask("low_copy_rate");
  ASSERT_EQ(conclusions_of(diagnosis), "low_copy_rate ");
  EXPECT_EQ(diagnosis.findings.front().arguments.front().number, 6);
}

TEST(MemoryRules, CopiesThatAreAllAlikeAreTheLinks) {
  Loop loop = input_copies([](int) { return 100'000; }, MemoryKind::pinned);
  EXPECT_EQ(conclusions_of(loop.ask("low_copy_rate")), "");
}

TEST(MemoryRules, ThePageableRateIsAnotherRules) {
  Loop loop = input_copies([](int i) { return i < 4 ? 20'000 : 100'000; }, MemoryKind::pageable);
  EXPECT_EQ(conclusions_of(loop.ask("low_copy_rate")), "");
}

/// A copy of 4 MiB whose call returns when all is staged, 5 us before the last of it is on the GPU.
TEST(MemoryRules, APageableCopyThatReturnsOnceItIsStaged) {
  Loop loop(true, 600'000);
  loop.each_step([&](int64_t t) {
    const uint32_t call = loop.builder.call(loop.thread, t + 20'000, t + 595'000, "cudaMemcpyAsync_v3020");
    loop.builder.host_copy(loop.stream, t + 501'000, t + 600'000, CopyKind::host_to_device, MemoryKind::pageable,
                           1 << 20, call);
  });
  EXPECT_EQ(conclusions_of(loop.ask("pageable_copy")), "pageable_copy ");
}

Loop small_copies(int count) {
  Loop loop = loop_ahead();
  loop.each_step([&](int64_t t) {
    for (int i = 0; i < count; ++i) {
      const int64_t at = t + 20'000 + i * 6000;
      const uint32_t call = loop.builder.call(loop.thread, at, at + 5000, "cudaMemcpyAsync_v3020");
      const int64_t start = t + 505'000 + i * 10'000;
      loop.builder.host_copy(loop.stream, start, start + 5000, CopyKind::host_to_device, MemoryKind::pinned, 64, call);
    }
  });
  return loop;
}

TEST(MemoryRules, ARunOfSmallCopies) {
  const Diagnosis diagnosis = small_copies(10).ask("small_copies");
  ASSERT_EQ(conclusions_of(diagnosis), "small_copies ");
  EXPECT_EQ(diagnosis.findings.front().arguments[1].number, 10 * kSteps);
}

TEST(MemoryRules, AFewSmallCopiesAreNoRun) { EXPECT_EQ(conclusions_of(small_copies(7).ask("small_copies")), ""); }

void migrate_in_each_step(Loop& loop, bool back) {
  loop.each_step([&](int64_t t) {
    const int64_t address = 0x7f0000000000;
    loop.builder.migration(loop.stream, t + 30'000, t + 130'000, CopyKind::unified_host_to_device, 1 << 20, address);
    if (!back) return;
    loop.builder.migration(loop.stream, t + 510'000, t + 590'000, CopyKind::unified_device_to_host, 1 << 20, address);
  });
}

TEST(MemoryRules, ManagedMemoryThatMovesBothWays) {
  Loop loop;
  migrate_in_each_step(loop, true);
  EXPECT_EQ(conclusions_of(loop.ask("managed_thrash")), "managed_thrash ");
}

TEST(MemoryRules, ABlockThatMovesOnceInPiecesDoesNotThrash) {
  Loop loop;
  for (int i = 0; i < kSteps; ++i) {
    const int64_t address = 0x7f0000000000 + i * 0x10000;
    const bool to_gpu = i < kSteps / 2;
    loop.builder.migration(loop.stream, i * kStep + 30'000, i * kStep + 130'000,
                           to_gpu ? CopyKind::unified_host_to_device : CopyKind::unified_device_to_host, 0x10000,
                           address);
  }
  EXPECT_EQ(conclusions_of(loop.ask("managed_thrash")), "");
}

TEST(MemoryRules, ManagedMemoryThatMovesOneWay) {
  Loop loop;
  migrate_in_each_step(loop, false);
  EXPECT_EQ(conclusions_of(loop.ask("managed_thrash")), "");
}

TEST(MemoryRules, ManagedMemoryHandedOverPieceByPiece) {
  Loop loop;
  for (int i = 0; i < kSteps; ++i) {
    const int64_t address = 0x7f0000000000 + i * 65536;
    const int64_t at = i * 12'000;
    loop.builder.migration(loop.stream, 30'000 + at, 40'000 + at, CopyKind::unified_host_to_device, 65536, address);
    loop.builder.migration(loop.stream, 3 * kStep + at, 3 * kStep + at + 10'000, CopyKind::unified_device_to_host,
                           65536, address);
  }
  EXPECT_EQ(conclusions_of(loop.ask("managed_thrash")), "");
}

/// The first kernel of each step takes 480 us, in 96 us of which its pages come.
TEST(MemoryRules, PagesThatAKernelPullsAreItsOwn) {
  Loop loop = loop_ahead();
  loop.each_step([&](int64_t t) {
    for (int i = 0; i < 10; ++i) {
      const int64_t at = t + 30'000 + i * 45'000;
      loop.builder.migration(loop.stream, at, at + 9'600, CopyKind::unified_host_to_device, 1 << 20, 0);
    }
  });
  const Trace trace = loop.builder.build();
  const Facts facts(trace);
  Change change;
  for (Row row = 0; row < row_count(trace.kernels); row += 2) change.kernels.push_back({row, 1000});
  const int64_t saved = facts.saving_ns(change);
  EXPECT_NEAR(static_cast<double>(saved), 384'000.0 * kSteps, 20'000);
}

TEST(MemoryRules, MemoryThatGrows) {
  Loop loop;
  loop.each_step(
      [&](int64_t t) { loop.builder.allocation(1, 0, t + 1000, AllocationKind::allocate, 1 << 20, 0x1000 + t); });
  const Diagnosis diagnosis = loop.ask("memory_growth");
  ASSERT_EQ(conclusions_of(diagnosis), "memory_growth ");
  EXPECT_EQ(diagnosis.findings.front().ceiling_ns, 0);
  EXPECT_EQ(diagnosis.findings.front().arguments[1].number, 1 << 20);
}

TEST(MemoryRules, MemoryThatIsGivenBack) {
  Loop loop;
  loop.each_step([&](int64_t t) {
    loop.builder.allocation(1, 0, t + 1000, AllocationKind::allocate, 1 << 20, 0x1000);
    loop.builder.allocation(1, 0, t + 900'000, AllocationKind::release, 1 << 20, 0x1000);
  });
  EXPECT_EQ(conclusions_of(loop.ask("memory_growth")), "");
}

}  // namespace memory_rules_test
}  // namespace sonde
