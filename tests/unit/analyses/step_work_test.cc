#include "analyses/steps/step_work.h"

#include <gtest/gtest.h>

#include "analyses/steps/warm_up.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace step_work_test {

constexpr int kSteps = 8;

/// Two processes that stand for two ranks, the second 40 ns later; its steps launch two kernels each. The first step of
/// both takes three times as long.
Trace two_ranks(std::string_view range) {
  TraceBuilder b;
  for (int rank = 0; rank < 2; ++rank) {
    const ThreadId t = b.thread(10 + rank, 10 + rank);
    const StreamId s = b.stream(10 + rank, rank);
    for (int64_t i = 0; i < kSteps; ++i) {
      const int64_t at = (i == 0 ? 0 : 2000 + 1000 * i) + 40 * rank;
      if (!range.empty()) b.push_pop(t, at, at + (i == 0 ? 2950 : 950), range);
      b.kernel(s, at + 900, at + 1100, "gemm", b.call(t, at + 10, at + 20));
      b.kernel(s, at + 300, at + 400, "relu", b.call(t, at + 30, at + 40));
      if (rank == 1) b.kernel(s, at + 350, at + 450, "tanh", b.call(t, at + 50, at + 60));
      b.host_copy(s, at + 420, at + 460, CopyKind::host_to_device, MemoryKind::pinned, 64,
                  b.call(t, at + 70, at + 80, "cudaMemcpyAsync_v3020"));
    }
  }
  Trace trace = b.build();
  trace.ranks.emplace_back();
  trace.processes[1].rank = 1;
  return trace;
}

TEST(StepsByRank, EachRankHasItsOwnTurnsOfTheSameRange) {
  const Trace trace = two_ranks("step");
  const auto found = find_warm_up(trace);
  ASSERT_TRUE(found);
  const auto ranks = turns_by_rank(trace, *found);
  ASSERT_EQ(ranks.size(), 2);
  for (RankId rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(ranks[rank].rank, rank);
    ASSERT_EQ(ranks[rank].steady.size(), kSteps - 1) << "the warm-up is left out";
    EXPECT_EQ(ranks[rank].steady.front(), Span(3000 + 40 * rank, 3950 + 40 * rank));
  }
}

TEST(StepsByRank, ARankWithoutTheRangeHasNoSteps) {
  Trace trace = two_ranks("step");
  for (Row row = 0; row < trace.ranges.start.size(); ++row) {
    if (trace.processes[trace.threads[trace.ranges.thread[row]].process].rank == 1) {
      trace.ranges.name[row] = trace.names.intern(row % 2 == 0 ? "odd" : "even");
    }
  }
  const auto found = find_warm_up(trace);
  ASSERT_TRUE(found);
  const auto ranks = turns_by_rank(trace, *found);
  ASSERT_EQ(ranks.size(), 1);
  EXPECT_EQ(ranks[0].rank, 0);
  EXPECT_EQ(ranks[0].steady, found->steady);
}

TEST(StepsByRank, LaunchesThatRepeatAreStepsOfTheirRank) {
  const Trace trace = two_ranks("");
  const auto found = find_warm_up(trace);
  ASSERT_TRUE(found);
  EXPECT_NE(found->thread, kNone);
  const auto ranks = turns_by_rank(trace, *found);
  // The other rank repeats another sequence.
  ASSERT_EQ(ranks.size(), 1);
  EXPECT_EQ(ranks[0].rank, 1);
  EXPECT_EQ(ranks[0].steady, found->steady);
}

TEST(StepWork, BusyTimeIsClippedAndCountsBeginInTheStep) {
  const Trace trace = two_ranks("step");
  const std::vector<Span> steps = {{3000, 3950}, {4000, 4950}};
  const auto work = work_of_steps(trace, gpus_of(trace), {.rank = 0, .steady = steps, .launched = steps});
  ASSERT_EQ(work.size(), 2);
  // relu and the copy, and gemm until the step's end; in the second step the rest of the first one's gemm too.
  EXPECT_EQ(work[0].gpu_busy_ns, 100 + 40 + 50);
  EXPECT_EQ(work[1].gpu_busy_ns, 100 + 100 + 40 + 50);
  EXPECT_EQ(work[1].kernels, 2);
  EXPECT_EQ(work[1].launches, 3);
  EXPECT_EQ(work[1].copy_bytes, 64);
  EXPECT_EQ(work_of_steps(trace, gpus_of(trace), {.rank = 1, .steady = steps, .launched = steps})[1].kernels, 3);
}

}  // namespace step_work_test
}  // namespace sonde
