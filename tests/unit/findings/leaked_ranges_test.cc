#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

#include "shared/loop_trace.h"

/// Ranges that a loop pushes and does not pop, beside ranges that nest by right.
namespace sonde {
namespace leaked_ranges_test {

constexpr int64_t kStep = LoopTrace::kStepNs;

/// `count` ranges, each in the one before; without ends where the recording ended first.
void nest(LoopTrace& loop, const std::string& name, int count, bool open, int64_t start = 0) {
  for (int i = 0; i < count; ++i) {
    loop.builder.push_pop(loop.thread, start + i * 1000, open ? kUnknown : start + kStep - (i * 1000),
                          fmt::vformat(name, fmt::make_format_args(i)));
  }
}

std::string found(const std::string& name, int count, bool open, bool twice = false) {
  LoopTrace loop(false);
  nest(loop, name, count, open && !twice);
  if (twice) nest(loop, name, count, open, 2 * kStep);
  return conclusions_of(loop.ask("leaked_ranges"));
}

TEST(LeakedRanges, IterationsInOneAnother) {
  EXPECT_EQ(found("iteration{}", 10, false), "leaked_ranges ");
  EXPECT_EQ(found("train step", 10, true), "leaked_ranges ");
}

TEST(LeakedRanges, RangesOfAnyNameWithoutEnd) { EXPECT_EQ(found("forward {}", 10, true), "leaked_ranges "); }

TEST(LeakedRanges, RecursionIsPopped) { EXPECT_EQ(found("level {}", 10, false), ""); }

TEST(LeakedRanges, RecursionThatTheEndOfTheRecordingCuts) { EXPECT_EQ(found("level {}", 10, true, true), ""); }

TEST(LeakedRanges, FewRangesInOneAnother) { EXPECT_EQ(found("iteration{}", 3, true), ""); }

TEST(LeakedRanges, IterationsThatFollowOneAnother) { EXPECT_EQ(conclusions_of(LoopTrace().ask("leaked_ranges")), ""); }

TEST(LeakedRanges, SaysHowManyLieInOneAnother) {
  LoopTrace loop(false);
  nest(loop, "iteration{}", 10, false);
  const Diagnosis diagnosis = loop.ask("leaked_ranges");
  ASSERT_EQ(conclusions_of(diagnosis), "leaked_ranges ");
  const Finding& finding = diagnosis.findings.front();
  EXPECT_EQ(finding.arguments[0].number, 10);
  EXPECT_EQ(finding.arguments[1].text, "iteration#");
  EXPECT_EQ(finding.evidence.size(), kMaxEvidence);
  EXPECT_EQ(finding.evidence.front().what, "iteration0");
}

}  // namespace leaked_ranges_test
}  // namespace sonde
