#include "trace/align.h"

#include <gtest/gtest.h>

namespace sonde {
namespace align_test {

void add_rank(Trace& trace, std::optional<int64_t> utc_ns, int64_t start) {
  trace.ranks.emplace_back().utc_ns = utc_ns;
  trace.api.start.push_back(start);
  trace.api.end.push_back(start + 10);
  trace.ranges.start.push_back(start + 5);
  trace.ranges.end.push_back(kUnknown);
}

Trace two_ranks(std::optional<int64_t> first_utc, std::optional<int64_t> second_utc) {
  Trace trace;
  add_rank(trace, first_utc, 100);
  const auto rows = row_counts(trace);
  add_rank(trace, second_utc, 700);
  align_last_rank(trace, rows);
  return trace;
}

TEST(Align, PutsARankOnTheFirstOnesClockByUtc) {
  const Trace trace = two_ranks(1'000'000, 999'500);
  EXPECT_EQ(trace.api.start, (Times{100, 200}));
  EXPECT_EQ(trace.api.end, (Times{110, 210}));
  EXPECT_EQ(trace.ranges.end, (Times{kUnknown, kUnknown}));
  EXPECT_EQ(trace.ranks[1].utc_ns, 1'000'000);
  EXPECT_TRUE(trace.log.empty());
}

TEST(Align, StartsRanksTogetherWithoutUtcAndSaysSo) {
  const Trace trace = two_ranks(1'000'000, std::nullopt);
  EXPECT_EQ(trace.api.start, (Times{100, 100}));
  ASSERT_EQ(trace.log.entries().size(), 1U);
  EXPECT_EQ(trace.log.entries()[0].issue, Issue::clocks_not_aligned);
}

TEST(Align, LeavesOneRankAlone) {
  Trace trace;
  add_rank(trace, 5, 100);
  align_last_rank(trace, std::vector<size_t>(row_counts(trace).size(), 0));
  EXPECT_EQ(trace.api.start, (Times{100}));
}

}  // namespace align_test
}  // namespace sonde
