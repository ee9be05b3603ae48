#include "gate/record/range_times.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "gate/record/record_run.h"
#include "shared/trace_builder.h"

namespace sonde::gate {
namespace gate_range_times_test {

const RangeTimes* times_of(const RunRecord& record, std::string_view name) {
  const auto found = std::ranges::find(record.ranges, name, &RangeTimes::name);
  return found == record.ranges.end() ? nullptr : &*found;
}

TEST(RangeTimes, requests_that_are_served_at_once_have_their_own_latency) {
  TraceBuilder b;
  const ThreadId accepts = b.thread(1, 1);
  const ThreadId answers = b.thread(1, 2);
  for (int64_t i = 1; i <= 20; ++i) {
    b.start_end(accepts, answers, i, i + 100 * i, fmt::format("request {}", i));  // all overlap
  }
  const RunRecord record = record_run(b.build());
  const RangeTimes* times = times_of(record, "request #");
  ASSERT_NE(times, nullptr);
  EXPECT_EQ(times->count, 20);
  // numpy.percentile(100 * numpy.arange(1, 21), [50, 95, 99])
  EXPECT_DOUBLE_EQ(times->p50_ns, 1050);
  EXPECT_DOUBLE_EQ(times->p95_ns, 1905);
  EXPECT_DOUBLE_EQ(times->p99_ns, 1981);
}

TEST(RangeTimes, a_range_that_does_not_end_has_no_latency) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  b.start_end(t, t, 0, 100, "request");
  b.start_end(t, kNone, 50, kUnknown, "request");
  b.start_end(t, kNone, 60, kUnknown, "stuck");
  const RunRecord record = record_run(b.build());
  ASSERT_NE(times_of(record, "request"), nullptr);
  EXPECT_EQ(times_of(record, "request")->count, 1);
  EXPECT_EQ(times_of(record, "stuck"), nullptr);
}

TEST(RangeTimes, the_most_frequent_names_are_kept) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  const auto letters = [](size_t i) {
    std::string name;
    for (int digit = 0; digit < 4; ++digit, i /= 26) name += static_cast<char>('a' + i % 26);
    return name;
  };
  int64_t at = 0;
  for (size_t i = 0; i < kMaxRangeNames + 3; ++i, at += 10) b.push_pop(t, at, at + 5, letters(i));
  for (int i = 0; i < 2; ++i, at += 10) b.push_pop(t, at, at + 5, "zzzz");
  const RunRecord record = record_run(b.build());
  EXPECT_EQ(record.ranges.size(), kMaxRangeNames);
  EXPECT_EQ(record.dropped_ranges, 4);
  EXPECT_NE(times_of(record, "zzzz"), nullptr);
}

}  // namespace gate_range_times_test
}  // namespace sonde::gate
