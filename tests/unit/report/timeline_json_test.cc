#include "report/page/timeline_json.h"

#include <random>

#include <gtest/gtest.h>

#include "shared/trace_builder.h"

namespace sonde {
namespace timeline_json_test {

using Json = nlohmann::ordered_json;

/// A thread that launches kernels of random length.
Trace busy_run(size_t kernels) {
  std::mt19937_64 random(3);
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 10);
  const StreamId stream = b.stream(1);
  int64_t time = 5'000'000'000'000'000'000;  // beyond what a double can tell apart
  for (size_t i = 0; i < kernels; ++i) {
    const auto length = static_cast<int64_t>(1000 + random() % 5000);
    const uint32_t call = b.call(thread, time, time + 700);
    b.kernel(stream, time + 800, time + 800 + length, "k" + std::to_string(random() % 7), call);
    time += 900 + length + static_cast<int64_t>(random() % 900);
  }
  return b.build();
}

struct Written {
  Json timeline;
  size_t bytes;
};

Written write_in(const Trace& trace, size_t room) {
  ReportSource source("run", trace, std::nullopt, {.tables = false, .timeline = true});
  Blobs blobs;
  Json timeline = timeline_json(source, room, blobs);
  return {std::move(timeline), blobs.bytes_from(0)};
}

TEST(TimelineJson, HoldsEveryEventWhereThereIsRoom) {
  const Trace trace = busy_run(20'000);
  const Written written = write_in(trace, 10'000'000);
  EXPECT_EQ(written.timeline["events"], 40'000);
  EXPECT_TRUE(written.timeline["tiles"].is_null());
  EXPECT_TRUE(written.timeline["detailed"].empty());
}

TEST(TimelineJson, KeepsToItsRoom) {
  const Trace trace = busy_run(20'000);
  const size_t whole = write_in(trace, 10'000'000).bytes;
  const Written written = write_in(trace, whole / 2);
  EXPECT_LE(written.bytes, whole / 2);
  EXPECT_EQ(written.timeline["events"], 40'000);
  EXPECT_LT(written.timeline["slices"], 40'000);
  EXPECT_FALSE(written.timeline["tiles"].is_null());
}

TEST(TimelineJson, CountersKeepToTheirRoomToo) {
  Trace trace = busy_run(10);
  std::mt19937_64 random(3);
  trace.counters.resize(1);
  for (size_t i = 0; i < 50'000; ++i) {
    trace.counter_values.start.push_back(trace.api.start.front() + static_cast<int64_t>(i));
    trace.counter_values.counter.push_back(0);
    trace.counter_values.value.push_back(static_cast<double>(random()));
  }
  const size_t whole = write_in(trace, 10'000'000).bytes;
  EXPECT_LE(write_in(trace, whole / 2).bytes, whole / 2);
}

TEST(TimelineJson, EndsWhereNothingMoreCanBeMerged) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 10);
  for (int64_t i = 0; i < 20'000; ++i) b.start_end(thread, thread, i, 100'000, "side by side");
  const Trace trace = b.build();
  const size_t whole = write_in(trace, 10'000'000).bytes;
  EXPECT_EQ(write_in(trace, whole * 9 / 10).timeline["slices"], 20'000);
}

TEST(TimelineJson, CutsNamesThatWouldFillIt) {
  TraceBuilder b;
  const StreamId stream = b.stream(1);
  for (int i = 0; i < 20'000; ++i) {
    b.kernel(stream, 100 * i, 100 * i + 90, std::to_string(i) + std::string(1000, 'a'), 0);
  }
  const Trace trace = b.build();
  const Written written = write_in(trace, 30'000'000);
  EXPECT_LT(written.timeline["texts"]["bytes"], 22'000'000);
  EXPECT_GT(written.timeline["texts"]["bytes"], 10'000'000);
}

TEST(TimelineJson, TimesAreToldFromTheFirstEvent) {
  const Trace trace = busy_run(10);
  const Written written = write_in(trace, 10'000'000);
  for (const Json& track : written.timeline["tracks"]) {
    EXPECT_LT(track["total_ns"], 1'000'000);
    EXPECT_LT(track["data"]["bytes"], 400);
  }
}

}  // namespace timeline_json_test
}  // namespace sonde
