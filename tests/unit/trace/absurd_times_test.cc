#include "trace/absurd_times.h"
#include "trace/columns.h"

#include <limits>

#include <gtest/gtest.h>

#include "trace/align.h"

namespace sonde {
namespace absurd_times_test {

constexpr int64_t kS = 1'000'000'000;

/// Calls each 10 ms for a second.
Trace second_of_calls() {
  Trace trace;
  trace.ranks.emplace_back();
  for (int64_t i = 0; i < 100; ++i) {
    trace.api.start.push_back(i * kS / 100);
    trace.api.end.push_back(i * kS / 100 + 1000);
  }
  return trace;
}

void add_range(Trace& trace, int64_t start, int64_t end) {
  trace.ranges.start.push_back(start);
  trace.ranges.end.push_back(end);
}

void add_os_call(Trace& trace, int64_t start, int64_t end) {
  trace.os_calls.start.push_back(start);
  trace.os_calls.end.push_back(end);
}

void drop(Trace& trace) { drop_absurd_times(trace, std::vector<size_t>(row_counts(trace).size(), 0)); }

int64_t logged(const Trace& trace) {
  int64_t count = 0;
  for (const auto& entry : trace.log.entries()) count += entry.issue == Issue::absurd_time ? entry.count : 0;
  return count;
}

TEST(AbsurdTimes, DropsACallLongBeforeTheRecording) {
  Trace trace = second_of_calls();
  trace.ranks[0].capture_start_ns = 0;
  add_os_call(trace, -4192 * kS, -4191 * kS);
  add_os_call(trace, kS / 2, kS);
  drop(trace);
  EXPECT_EQ(trace.os_calls.start, (Times{kS / 2}));
  EXPECT_EQ(row_count(trace.api), 100);
  EXPECT_EQ(logged(trace), 1);
}

TEST(AbsurdTimes, ForgetsTheEndOfARangeThatEndsInAYear) {
  Trace trace = second_of_calls();
  add_range(trace, 1000, 31'536'000 * kS);
  drop(trace);
  EXPECT_EQ(trace.ranges.start, (Times{1000}));
  EXPECT_EQ(trace.ranges.end, (Times{kUnknown}));
  EXPECT_EQ(logged(trace), 1);
}

TEST(AbsurdTimes, KeepsWhatBeginsShortlyBeforeTheRecording) {
  Trace trace = second_of_calls();
  trace.ranks[0].capture_start_ns = 0;
  trace.ranks[0].capture_end_ns = kS;
  add_range(trace, -2 * kS, kS / 2);
  drop(trace);
  EXPECT_EQ(trace.ranges.start, (Times{-2 * kS}));
  EXPECT_EQ(logged(trace), 0);
}

TEST(AbsurdTimes, KeepsALongWait) {
  Trace trace = second_of_calls();
  add_os_call(trace, kS, 1800 * kS);
  drop(trace);
  EXPECT_EQ(row_count(trace.os_calls), 1);
  EXPECT_EQ(logged(trace), 0);
}

TEST(AbsurdTimes, KeepsWhatManyEventsShare) {
  Trace trace = second_of_calls();
  for (int64_t i = 0; i < 100; ++i) add_os_call(trace, 90'000 * kS + i, 90'000 * kS + i + 1);
  drop(trace);
  EXPECT_EQ(row_count(trace.os_calls), 100);
  EXPECT_EQ(logged(trace), 0);
}

TEST(AbsurdTimes, SurvivesTheLargestNumbers) {
  Trace trace = second_of_calls();
  add_os_call(trace, std::numeric_limits<int64_t>::max() - 1, std::numeric_limits<int64_t>::max());
  add_os_call(trace, kUnknown + 1, kUnknown + 2);
  drop(trace);
  EXPECT_EQ(row_count(trace.os_calls), 0);
  EXPECT_EQ(logged(trace), 2);
}

}  // namespace absurd_times_test
}  // namespace sonde
