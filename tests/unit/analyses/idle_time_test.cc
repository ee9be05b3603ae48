#include "analyses/gpus/idle_time.h"

#include <map>

#include <gtest/gtest.h>

#include "analyses/steps/run_extent.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace idle_time_test {

using Times = std::map<std::string_view, int64_t>;

/// Cause -> nanoseconds over all GPUs.
Times idle_times(const Trace& trace) {
  Times times;
  for_each_idle_piece(trace, gpus_of(trace), run_extent(trace),
                      [&](const IdlePiece& p) { times[info_of(p.cause).name] += p.end_ns - p.start_ns; });
  return times;
}

constexpr int64_t kUs = 1000;

/// A synchronization until `gap_start`, then a launch of `launch_us` that is the rest of an idle gap of the GPU.
struct AfterWait {
  explicit AfterWait(int64_t launch_us) : end((200 + launch_us) * kUs) {
    b.kernel(s, 10 * kUs, 200 * kUs, "a", b.call(t, 0, 10 * kUs));
    b.call(t, 20 * kUs, 200 * kUs + 1, "cudaDeviceSynchronize_v3020");
    b.kernel(s, end, end + kUs, "b", b.call(t, 200 * kUs + 1, end));
  }
  TraceBuilder b;
  ThreadId t = b.thread(1, 1);
  StreamId s = b.stream(1);
  int64_t end;
};

TEST(IdleTime, ShortReadyingAfterAWaitIsTheWaits) {
  AfterWait run(80);
  EXPECT_EQ(idle_times(run.b.build()), (Times{{"before_first", 10 * kUs}, {"synchronization", 80 * kUs}}));
}

TEST(IdleTime, LongReadyingIsNot) {
  AfterWait run(150);
  EXPECT_EQ(idle_times(run.b.build()),
            (Times{{"before_first", 10 * kUs}, {"synchronization", 1}, {"launch", 150 * kUs - 1}}));
}

TEST(IdleTime, WhatIsWeakerDoesNotCutAPiece) {
  AfterWait run(150);
  run.b.os_call(run.t, 280 * kUs, 290 * kUs, "ioctl");
  EXPECT_EQ(idle_times(run.b.build()),
            (Times{{"before_first", 10 * kUs}, {"synchronization", 1}, {"launch", 150 * kUs - 1}}));
}

TEST(IdleTime, WhatIsStrongerDoes) {
  AfterWait run(150);
  run.b.call(run.t, 280 * kUs, 290 * kUs, "cudaMalloc_v3020");
  EXPECT_EQ(idle_times(run.b.build()),
            (Times{{"before_first", 10 * kUs}, {"synchronization", 140 * kUs}, {"allocation", 10 * kUs}}));
}

TEST(IdleTime, CudasOverheadsAreNotTheProfilers) {
  AfterWait run(150);
  Trace trace = run.b.build();
  const auto add = [&](std::string_view name, int64_t start) {
    trace.overheads.start.push_back(start);
    trace.overheads.end.push_back(start + 10 * kUs);
    trace.overheads.name.push_back(trace.names.intern(name));
    trace.overheads.thread.push_back(run.t);
  };
  add("Lazy Function Loading", 210 * kUs);
  add("CUPTI Buffer flush", 220 * kUs);
  const Times times = idle_times(trace);
  EXPECT_EQ(times.at("load"), 10 * kUs);
  EXPECT_EQ(times.at("profiler"), 10 * kUs);
}

TEST(IdleTime, WorkLaunchedBeforeTheRecordingWasQueued) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  const StreamId s = b.stream(1);
  const uint32_t early = b.unlinked();
  const uint32_t call = b.call(t, 500, 600);
  b.kernel(s, 0, 100, "a", early);
  b.kernel(s, 400, 450, "before the first call", early);
  b.kernel(s, 10'450, 10'500, "after it", early);
  b.kernel(s, 10'500, 10'600, "b", call);
  b.kernel(s, 10'700, 10'800, "lost", b.unlinked());
  EXPECT_EQ(idle_times(b.build()), (Times{{"unknown", 300 + 50 + 100}, {"queued", 9'950}}));
}

TEST(IdleTime, GpusOnWhichNothingRanHaveNone) {
  TraceBuilder b;
  b.stream(1, 0);
  b.call(b.thread(1, 1), 0, 100);
  EXPECT_EQ(idle_times(b.build()), Times());
}

}  // namespace idle_time_test
}  // namespace sonde
