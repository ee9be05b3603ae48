#include "analyses/steps/thread_times.h"

#include <gtest/gtest.h>

#include "analyses/calls/os_call_kind.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace thread_times_test {

TEST(OsCallKind, IsTheSameForVariantsOfACall) {
  EXPECT_EQ(os_call_kind("read"), OsCallKind::file);
  EXPECT_EQ(os_call_kind("__open64_nocancel"), OsCallKind::file);
  EXPECT_EQ(os_call_kind("__read_chk"), OsCallKind::file);
  EXPECT_EQ(os_call_kind("recvfrom"), OsCallKind::network);
  EXPECT_EQ(os_call_kind("accept4"), OsCallKind::network);
  EXPECT_EQ(os_call_kind("ioctl"), OsCallKind::device);
  EXPECT_EQ(os_call_kind("frobnicate"), OsCallKind::other);
  EXPECT_TRUE(info_of(os_call_kind("poll")).waits);
  EXPECT_FALSE(info_of(os_call_kind("mmap64")).waits);
}

TEST(ThreadTimes, FollowTheSwitches) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  b.os_call(t, 0, 300, "poll");
  b.put_on_core(t, 100, 2);
  b.take_off_core(t, 150, 2, ThreadState::interruptible);
  b.put_on_core(t, 250, 3);
  b.take_off_core(t, 400, 3, ThreadState::running);
  b.put_on_core(t, 420, 3);
  b.take_off_core(t, 500, 3, ThreadState::terminated);
  const ThreadTime time = thread_times(b.build())[t];
  EXPECT_EQ(time.source, ThreadTimeSource::scheduling);
  EXPECT_EQ(time.span, Span(0, 500));
  EXPECT_EQ(time.running_ns, 50 + 150 + 80);
  EXPECT_EQ(time.ready_ns, 20);
  EXPECT_EQ(time.blocked_ns, 100 + 100);
  EXPECT_EQ(time.blocked_in_ns, 200);
  EXPECT_EQ(time.switches, 3);
  EXPECT_EQ(time.migrations, 1);
  EXPECT_EQ(time.cores, 2);
}

TEST(ThreadTimes, TakenOffACoreFirstItWasThereBefore) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  const ThreadId other = b.thread(1, 2);
  b.call(t, 50, 90);
  b.take_off_core(t, 100, 5);
  b.put_on_core(t, 200, 5);
  b.put_on_core(other, 300, 6);
  const Trace trace = b.build();
  const auto times = thread_times(trace);
  EXPECT_EQ(times[t].running_ns, 50 + 100);  // on its core when the scheduling was last heard of
  EXPECT_EQ(times[t].ready_ns, kUnknown);
  EXPECT_EQ(times[t].blocked_ns, 100);
  int64_t on_cores = 0;
  for (const OnCore& piece : times_on_cores(trace))
    on_cores += piece.thread == t ? piece.span.second - piece.span.first : 0;
  EXPECT_EQ(on_cores, times[t].running_ns);
}

TEST(ThreadTimes, WithoutSwitchesRestOnCallsThatWait) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  b.call(t, 0, 1000, "cudaStreamSynchronize_v3020");
  b.os_call(t, 100, 900, "poll");
  b.os_call(t, 900, 950, "ioctl");
  b.os_call(t, 1100, 1200, "mmap");
  const ThreadTime time = thread_times(b.build())[t];
  EXPECT_EQ(time.source, ThreadTimeSource::calls);
  EXPECT_EQ(time.running_ns, kUnknown);
  EXPECT_EQ(time.switches, kUnknown);
  EXPECT_EQ(time.blocked_ns, 1000);
  EXPECT_EQ(time.blocked_in_ns, 800);
}

TEST(ThreadTimes, OfAThreadThatDidNothingAreNone) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  b.os_call(t, 100, 100, "OS runtime libraries profiling started");
  EXPECT_EQ(thread_times(b.build())[t].source, ThreadTimeSource::none);
}

}  // namespace thread_times_test
}  // namespace sonde
