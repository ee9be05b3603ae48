#include <gtest/gtest.h>

#include "record/gpu_metrics/gpu_clock.h"

namespace sonde::record {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSecond = 1000 * kMs;
constexpr int64_t kAhead = 1'000'000 * kSecond;

wire::GpuClockBody was_not_yet(int64_t gpu, int64_t monotonic) { return {gpu, monotonic, 0, 1}; }
wire::GpuClockBody was_over(int64_t gpu, int64_t monotonic) { return {gpu, monotonic, 0, 0}; }

TEST(GpuClock, LiesBetweenItsBounds) {
  GpuClock clock;
  clock.add(was_not_yet(kAhead + 12 * kMs, 10 * kMs));  // sampling began 2 ms after it was asked for
  clock.add(was_over(kAhead + 30 * kMs, 34 * kMs));     // 4 ms later it was decoded
  clock.add(was_over(kAhead + 60 * kMs, 62 * kMs));     // 2 ms later
  clock.settle();
  EXPECT_EQ(clock.error_ns(), 2 * kMs);
  EXPECT_EQ(clock.to_monotonic(kAhead + 60 * kMs), 60 * kMs);
}

TEST(GpuClock, FollowsADrift) {
  GpuClock clock;
  constexpr int64_t kLatency = kMs;
  clock.add(was_not_yet(kAhead + kMs, 0));
  for (int64_t second = 0; second < 10; ++second) {  // 1 ms ahead more each second
    const int64_t monotonic = second * kSecond + kMs;
    clock.add(was_over(kAhead + monotonic + second * kMs, monotonic + kLatency));
  }
  clock.settle();
  for (int64_t second = 1; second < 9; ++second) {
    const int64_t monotonic = second * kSecond + kSecond / 2;
    const int64_t gpu = kAhead + monotonic + second * kMs + kMs / 2;
    EXPECT_NEAR(static_cast<double>(clock.to_monotonic(gpu) - monotonic), 0,
                static_cast<double>(clock.error_ns() + 1000));
  }
  EXPECT_LE(clock.error_ns(), kMs);
}

TEST(GpuClock, IsOursWhereItCanBe) {
  GpuClock clock;
  clock.add(was_not_yet(kSecond + kMs, kSecond));
  clock.add(was_over(2 * kSecond, 2 * kSecond + 3 * kMs));
  clock.settle();
  EXPECT_EQ(clock.error_ns(), 0);
  EXPECT_EQ(clock.to_monotonic(2 * kSecond), 2 * kSecond);
}

TEST(GpuClock, OfNothingIsTakenAsItIs) {
  GpuClock clock;
  clock.settle();
  EXPECT_EQ(clock.to_monotonic(7), 7);
}

TEST(GpuClock, ContradictionsLeaveTheLowerBound) {
  GpuClock clock;
  clock.add(was_not_yet(kAhead, 10 * kMs));
  clock.add(was_over(kAhead + 20 * kMs, 20 * kMs));
  clock.settle();
  EXPECT_EQ(clock.to_monotonic(kAhead + 20 * kMs), 20 * kMs);
}

}  // namespace
}  // namespace sonde::record
