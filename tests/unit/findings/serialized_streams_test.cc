#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "findings/rule.h"
#include "shared/trace_builder.h"
#include "trace/stream_flags.h"

namespace sonde {
namespace serialized_streams_test {

constexpr int64_t kUs = 1000;
constexpr uint32_t kHalfWave = 432;  ///< 8 blocks of 256 threads on each of 108 SMs are a wave

/// One thread far ahead of an A100: a null stream and two others.
class Streams {
 public:
  Streams() : thread_(builder_.thread(1, 1)) {
    for (StreamId& stream : streams_) stream = builder_.stream(1);
    Device& device = builder_.device();
    device.compute_major = 8;
    device.compute_minor = 0;
    device.sm_count = 108;
    builder_.call(thread_, 0, kUs, "cudaStreamSynchronize_v3020");  // what a wait takes where nothing runs
    for (const StreamId stream : streams_) start(stream);
  }

  void kernel(size_t stream, int64_t duration, uint32_t blocks, std::string_view name = "half") {
    builder_.kernel(streams_[stream], gpu_ + kUs, gpu_ + kUs + duration, name, called(), {blocks, 1, 1});
    gpu_ += kUs + duration;
  }
  void set(size_t stream, int64_t duration) {
    builder_.set(streams_[stream], gpu_ + kUs, gpu_ + kUs + duration, called());
    gpu_ += kUs + duration;
  }
  void record(size_t stream, uint32_t event) {
    builder_.record_event(thread_, streams_[stream], host_, host_ + kUs, event);
    host_ += 2 * kUs;
  }
  void wait(size_t stream, uint32_t event) {
    builder_.wait_event(thread_, streams_[stream], host_, host_ + kUs, event);
    host_ += 2 * kUs;
  }
  /// The host waits until the GPU has come so far.
  void catch_up() { host_ = gpu_ + kUs; }
  void overlap(int64_t ns) { gpu_ -= ns; }
  /// Kernels that fill the GPU and take 90 us.
  void rest() {
    for (int i = 0; i < 3; ++i) kernel(0, 30 * kUs, 10 * kHalfWave, "gemm");
  }

  [[nodiscard]] Trace build(int second_flags = kStreamBlocking, bool null_stream = true) {
    builder_.call(thread_, host_, gpu_ + 2 * kUs, "cudaDeviceSynchronize_v3020");
    Trace trace = builder_.build();
    trace.streams[streams_[0]].is_default = null_stream;
    trace.streams[streams_[2]].flags = second_flags;
    Kernels& k = trace.kernels;
    k.registers.assign(k.start.size(), 32);
    k.static_shared_bytes.assign(k.start.size(), 0);
    k.dynamic_shared_bytes.assign(k.start.size(), 0);
    k.shared_bytes_executed.assign(k.start.size(), 32768);
    return trace;
  }

 private:
  /// A kernel that starts as soon as it is launched, and fills the GPU.
  void start(StreamId stream) {
    const uint32_t id = called();
    builder_.kernel(stream, host_, host_ + kUs, "first", id, {10 * kHalfWave, 1, 1});
    host_ += 2 * kUs;
  }
  uint32_t called() {
    const uint32_t id = builder_.call(thread_, host_, host_ + kUs);
    host_ += 2 * kUs;
    return id;
  }
  TraceBuilder builder_;
  ThreadId thread_;
  std::array<StreamId, 3> streams_{};
  int64_t host_ = 2 * kUs;
  int64_t gpu_ = 5000 * kUs;
};

const Finding* found(const Diagnosis& diagnosis, std::string_view id) {
  const auto finding = std::ranges::find(diagnosis.findings, id, &Finding::id);
  return finding == diagnosis.findings.end() ? nullptr : &*finding;
}

bool found_in(const Trace& trace) {
  const Diagnosis diagnosis = diagnose(Facts(trace));
  return found(diagnosis, "serialized_streams_default") != nullptr ||
         found(diagnosis, "serialized_streams_events") != nullptr;
}

struct Halves {
  int64_t set = 2 * kUs;
  uint32_t blocks = kHalfWave;
  int64_t overlap = 0;
  bool catches_up = false;
};

Streams halves_apart(const Halves& how) {
  Streams run;
  for (int i = 0; i < 100; ++i) {
    run.kernel(1, 50 * kUs, how.blocks);
    run.overlap(how.overlap);
    run.set(0, how.set);
    if (how.catches_up) run.catch_up();
    run.kernel(2, 50 * kUs, how.blocks);
    run.rest();
  }
  return run;
}

TEST(SerializedStreams, SetsOnTheNullStreamKeepHalvesApart) {
  const Trace trace = halves_apart({}).build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  const Finding* finding = found(diagnosis, "serialized_streams_default");
  ASSERT_NE(finding, nullptr);
  // The last of 100 steps is not judged. Of each pair the set and one half go, and a microsecond before each.
  EXPECT_EQ(finding->ceiling_ns, 99 * 54 * kUs);
  EXPECT_EQ(diagnosis.claims.side_by_side.size(), 198U);
  EXPECT_EQ(finding->evidence.size(), 10U);
}

TEST(SerializedStreams, SmallGridsBesideAreToldOnce) {
  const Trace trace = halves_apart({.blocks = 50}).build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  EXPECT_NE(found(diagnosis, "serialized_streams_default"), nullptr);
  EXPECT_EQ(found(diagnosis, "small_grid"), nullptr);
}

TEST(SerializedStreams, NonBlockingStreamsDoNotWaitForTheNullStream) {
  EXPECT_TRUE(found_in(halves_apart({}).build()));
  EXPECT_FALSE(found_in(halves_apart({}).build(kStreamNonBlocking)));
  EXPECT_FALSE(found_in(halves_apart({.overlap = 10 * kUs}).build()));
}

TEST(SerializedStreams, WithoutANullStreamNothingIsTold) {
  EXPECT_FALSE(found_in(halves_apart({}).build(kStreamBlocking, false)));
}

TEST(SerializedStreams, KernelsThatFillTheGpuGainNothing) {
  EXPECT_FALSE(found_in(halves_apart({.blocks = 2 * kHalfWave}).build()));
}

TEST(SerializedStreams, LongWorkOnTheNullStreamMayWellBeNeeded) {
  EXPECT_FALSE(found_in(halves_apart({.set = 50 * kUs}).build()));
}

TEST(SerializedStreams, WhatIsLaunchedLateCouldNotRunEarlier) {
  EXPECT_FALSE(found_in(halves_apart({.catches_up = true}).build()));
}

Streams ping_pong(bool back) {
  Streams run;
  for (int i = 0; i < 100; ++i) {
    run.kernel(1, 50 * kUs, kHalfWave);
    run.record(1, 1);
    run.wait(2, 1);
    run.kernel(2, 50 * kUs, kHalfWave);
    run.record(2, 2);
    if (back) run.wait(1, 2);
  }
  return run;
}

TEST(SerializedStreams, StreamsThatWaitForEachOtherRunAlone) {
  const Trace trace = ping_pong(true).build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  const Finding* finding = found(diagnosis, "serialized_streams_events");
  ASSERT_NE(finding, nullptr);
  // Of 198 judged kernels each stream takes 99 times 50 us, instead of 198 times with a microsecond between.
  EXPECT_EQ(finding->ceiling_ns, (198 * 51 - 99 * 50) * kUs);
}

TEST(SerializedStreams, WaitsInOneDirectionAreAPipeline) { EXPECT_FALSE(found_in(ping_pong(false).build())); }

TEST(SerializedStreams, StreamsThatOverlapAtTimesAreNotSerialized) {
  Streams run = ping_pong(true);
  run.kernel(1, 50 * kUs, kHalfWave);
  run.overlap(10 * kUs);
  run.kernel(2, 50 * kUs, kHalfWave);
  EXPECT_FALSE(found_in(run.build()));
}

TEST(SerializedStreams, AbstainsWithoutLaunchingCalls) {
  TraceBuilder builder;
  const std::array streams = {builder.stream(1), builder.stream(1)};
  for (int i = 0; i < 10; ++i) {
    builder.kernel(streams[static_cast<size_t>(i) % 2], i * 20 * kUs, (i * 20 + 10) * kUs, "half", builder.unlinked());
  }
  const Trace trace = builder.build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  const auto abstained = std::ranges::find(diagnosis.abstentions, "serialized_streams", &Abstention::rule);
  ASSERT_NE(abstained, diagnosis.abstentions.end());
  EXPECT_EQ(abstained->id, "serialized_streams.no_launches");
}

}  // namespace serialized_streams_test
}  // namespace sonde
