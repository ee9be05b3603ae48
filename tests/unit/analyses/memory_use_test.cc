#include "analyses/gpus/memory_use.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "analyses/tables/linear_trend.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace memory_use_test {

constexpr int64_t kEnd = 1'000'000;

TEST(LinearTrend, OfALineIsItsSlope) {
  const std::vector<int64_t> values{1'000'000'000'000, 1'000'000'000'007, 1'000'000'000'014, 1'000'000'000'021};
  EXPECT_DOUBLE_EQ(linear_trend(values).slope, 7);
  EXPECT_DOUBLE_EQ(linear_trend(values).standard_error, 0);
}

TEST(LinearTrend, HasAnErrorWhereValuesScatter) {
  // Residuals -0.3, 0.9, -0.9 and 0.3: squares sum to 1.8, over 2 degrees of freedom and 5, the spread of 0 to 3.
  const std::vector<int64_t> values{0, 2, 1, 3};
  EXPECT_NEAR(linear_trend(values).slope, 0.8, 1e-12);
  EXPECT_NEAR(linear_trend(values).standard_error, std::sqrt(1.8 / 2 / 5), 1e-12);
}

TEST(LinearTrend, OfTooFewValuesIsUnknown) {
  EXPECT_TRUE(std::isnan(linear_trend(std::vector<int64_t>{5}).slope));
  EXPECT_DOUBLE_EQ(linear_trend(std::vector<int64_t>{5, 8}).slope, 3);
  EXPECT_TRUE(std::isnan(linear_trend(std::vector<int64_t>{5, 8}).standard_error));
}

TEST(MemoryUse, CountsWhatWasReleasedAndNeverSeenAllocated) {
  TraceBuilder b;
  b.allocation(1, 0, 100, AllocationKind::allocate, 50, 0x1000);
  b.allocation(1, 0, 200, AllocationKind::release, 30, 0x2000);
  const auto uses = memory_uses(b.build());
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_EQ(uses[0].start_bytes, 30);
  EXPECT_EQ(uses[0].bytes, (Longs{80, 50}));
  EXPECT_EQ(uses[0].not_released, 1);
  EXPECT_EQ(uses[0].not_released_bytes, 50);
}

TEST(MemoryUse, ReleaseWithoutASizeHasThatOfItsAddress) {
  TraceBuilder b;
  b.allocation(1, 0, 100, AllocationKind::allocate, 50, 0x1000);
  b.allocation(1, 0, 200, AllocationKind::release, kUnknown, 0x1000);
  EXPECT_EQ(memory_uses(b.build())[0].bytes, (Longs{50, 0}));
}

TEST(MemoryUse, TakesTheAllocatorsTotalWhereItIsTold) {
  TraceBuilder b;
  b.allocation(1, 0, 100, AllocationKind::allocate, 50, 0x1000, 1050);
  b.allocation(1, 0, 200, AllocationKind::release, 50, 0x1000, 900);
  const auto uses = memory_uses(b.build());
  EXPECT_EQ(uses[0].start_bytes, 1000);
  EXPECT_EQ(uses[0].bytes, (Longs{1050, 900}));
  EXPECT_EQ(peak_of(uses[0]).bytes, 1050);
  EXPECT_EQ(peak_of(uses[0]).time_ns, 100);
}

TEST(MemoryUse, ProcessesOfOneGpuCountTogetherOrEachAlone) {
  TraceBuilder b;
  b.device();
  b.allocation(1, 0, 100, AllocationKind::allocate, 50, 0x1000, 1050);
  b.allocation(2, 0, 200, AllocationKind::allocate, 7, 0x1000, 107);
  b.allocation(1, 0, 300, AllocationKind::release, 50, 0x1000, 1000);
  const Trace trace = b.build();
  const auto together = memory_uses(trace);
  ASSERT_EQ(together.size(), 1U);
  EXPECT_EQ(together[0].start_bytes, 1100);
  EXPECT_EQ(together[0].bytes, (Longs{1150, 1157, 1107}));
  const auto alone = memory_uses(trace, MemoryScope::per_process);
  ASSERT_EQ(alone.size(), 2U);
  EXPECT_EQ(alone[0].bytes, (Longs{1050, 1000}));
  EXPECT_EQ(alone[1].bytes, (Longs{107}));
}

TEST(MemoryUse, GrowthIsTheSlopeOverTheEndsOfSteps) {
  TraceBuilder b;
  for (int64_t i = 0; i < 4; ++i) b.allocation(1, 0, 100 * i + 50, AllocationKind::allocate, 8, 0x1000 + i);
  const auto uses = memory_uses(b.build());
  const std::vector<Span> steps{{0, 100}, {100, 200}, {200, 300}, {300, 400}};
  EXPECT_DOUBLE_EQ(growth_per_step(uses[0], steps).slope, 8);
}

TEST(MemoryPeaks, EqualALookAtEveryEvent) {
  std::mt19937 random(7);
  for (const int64_t events : {1, 2, 3, 5, 8, 13, 100}) {
    TraceBuilder b;
    for (int64_t i = 0; i < events; ++i) {
      b.allocation(1, 0, static_cast<int64_t>(random() % 200), AllocationKind::allocate, 1 + i, i,
                   1000 + random() % 50);
    }
    const Trace trace = b.build();
    const auto uses = memory_uses(trace);
    const MemoryPeaks peaks(uses[0]);
    for (int trial = 0; trial < 300; ++trial) {
      const auto first = static_cast<int64_t>(random() % 210) - 5;
      const int64_t last = first + static_cast<int64_t>(random() % 100);
      int64_t expected = uses[0].at(first);
      for (size_t i = 0; i < uses[0].time.size(); ++i) {
        if (uses[0].time[i] > first && uses[0].time[i] <= last) expected = std::max(expected, uses[0].bytes[i]);
      }
      EXPECT_EQ(peaks.within({first, last}), expected);
    }
    EXPECT_EQ(peaks.within({-1, kEnd}), peak_of(uses[0]).bytes);
  }
}

}  // namespace memory_use_test
}  // namespace sonde
