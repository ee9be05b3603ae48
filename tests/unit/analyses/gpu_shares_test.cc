#include "analyses/gpus/gpu_shares.h"

#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "analyses/gpus/busy_time.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace gpu_shares_test {

GpuShares shares_of(const Trace& trace) { return share_gpu_time(trace, gpus_of(trace)); }

int64_t sum_of(const Longs& values) { return std::accumulate(values.begin(), values.end(), int64_t{0}); }

TEST(GpuShares, OneAloneGetsItsDuration) {
  TraceBuilder b;
  b.kernel(b.stream(1), 10, 35, "a", 0);
  const Trace trace = b.build();
  EXPECT_EQ(shares_of(trace).kernels, (Longs{25}));
}

TEST(GpuShares, TwoShareWhatOverlaps) {
  TraceBuilder b;
  b.kernel(b.stream(1), 0, 100, "a", 0);
  b.copy(b.stream(1), 60, 200, 0);
  const Trace trace = b.build();
  const GpuShares shares = shares_of(trace);
  EXPECT_EQ(shares.kernels, (Longs{80}));
  EXPECT_EQ(shares.copies, (Longs{120}));
  EXPECT_EQ(shares.busy_ns, (Longs{200}));
}

TEST(GpuShares, ThreeAtOnceGetAThirdEach) {
  TraceBuilder b;
  b.kernel(b.stream(1), 0, 90, "a", 0);
  b.kernel(b.stream(1), 0, 30, "b", 0);
  b.graph_launch(b.stream(1), 0, 60, 0);
  const Trace trace = b.build();
  const GpuShares shares = shares_of(trace);
  EXPECT_EQ(shares.kernels, (Longs{10 + 15 + 30, 10}));
  EXPECT_EQ(shares.graph_launches, (Longs{10 + 15}));
  EXPECT_EQ(shares.busy_ns, (Longs{90}));
}

TEST(GpuShares, WhatDoesNotDivideIsRoundedToTheExactSum) {
  TraceBuilder b;
  for (int i = 0; i < 3; ++i) b.kernel(b.stream(1), 0, 100, "a", 0);
  const Trace trace = b.build();
  const GpuShares shares = shares_of(trace);
  EXPECT_EQ(sum_of(shares.kernels), 100);
  for (const int64_t share : shares.kernels) EXPECT_NEAR(static_cast<double>(share), 100.0 / 3, 1);
}

TEST(GpuShares, OtherGpusShareNothing) {
  TraceBuilder b;
  b.kernel(b.stream(1, 0), 0, 100, "a", 0);
  b.kernel(b.stream(1, 1), 0, 100, "b", 0);
  const Trace trace = b.build();
  EXPECT_EQ(shares_of(trace).kernels, (Longs{100, 100}));
  EXPECT_EQ(shares_of(trace).busy_ns, (Longs{100, 100}));
}

TEST(GpuShares, WhatTakesNoTimeGetsNone) {
  TraceBuilder b;
  b.kernel(b.stream(1), 0, 10, "a", 0);
  b.kernel(b.stream(1), 5, 5, "b", 0);
  const Trace trace = b.build();
  EXPECT_EQ(shares_of(trace).kernels, (Longs{10, 0}));
}

TEST(GpuShares, GpusAreThoseOnWhichSomethingRan) {
  TraceBuilder b;
  b.stream(1, 0);  // as of a call that waits for device 0
  b.kernel(b.stream(1, 1), 0, 10, "a", 0);
  const Trace trace = b.build();
  const Gpus gpus = gpus_of(trace);
  ASSERT_EQ(gpus.gpus.size(), 1U);
  EXPECT_EQ(gpus.gpus[0].place, "GPU 1");
  EXPECT_EQ(gpus.of_stream, (std::vector<uint32_t>{kNone, 0}));
}

/// Nanosecond by nanosecond.
std::vector<double> counted_shares(const Kernels& kernels, int64_t end) {
  std::vector<double> shares(kernels.start.size(), 0);
  for (int64_t now = 0; now < end; ++now) {
    const auto runs = [&](size_t i) { return kernels.start[i] <= now && now < kernels.end[i]; };
    int running = 0;
    for (size_t i = 0; i < shares.size(); ++i) running += runs(i) ? 1 : 0;
    for (size_t i = 0; i < shares.size(); ++i) shares[i] += runs(i) ? 1.0 / running : 0;
  }
  return shares;
}

TEST(GpuShares, AreThoseCountedNanosecondByNanosecond) {
  constexpr int64_t kEnd = 3000;
  std::mt19937 random(7);
  TraceBuilder b;
  const StreamId stream = b.stream(1);
  for (int i = 0; i < 1000; ++i) {
    const auto start = static_cast<int64_t>(random() % (kEnd - 50));
    b.kernel(stream, start, start + static_cast<int64_t>(random() % 50), "k", 0);
  }
  const Trace trace = b.build();
  const GpuShares shares = shares_of(trace);
  const std::vector<double> counted = counted_shares(trace.kernels, kEnd);
  std::vector<Span> spans;
  for (size_t i = 0; i < counted.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(shares.kernels[i]), counted[i], 1);
    spans.emplace_back(trace.kernels.start[i], trace.kernels.end[i]);
  }
  EXPECT_EQ(shares.busy_ns, (Longs{union_ns(spans)}));
  EXPECT_EQ(sum_of(shares.kernels), shares.busy_ns[0]);
}

}  // namespace gpu_shares_test
}  // namespace sonde
