#include <random>

#include <gtest/gtest.h>

#include "record/gpu_metrics/gpu_clock.h"

namespace sonde::record {
namespace gpu_clock_test {

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

/// What is added to both, and forgotten by one in between.
struct Both {
  GpuClock all;
  GpuClock few;
  void add(const wire::GpuClockBody& clock) {
    all.add(clock);
    few.add(clock);
    few.forget_old();
  }
};

/// Hours of a clock that drifts to and fro: samples are decoded 1 to 9 ms late, and sampling begins anew now and then.
Both sampled_for(int64_t seconds, int64_t ahead, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int64_t> late(kMs, 9 * kMs);
  Both clocks;
  int64_t drift = 0;
  for (int64_t at = kSecond; at < seconds * kSecond; at += kSecond / 5) {
    drift += at / (600 * kSecond) % 2 == 0 ? 2000 : -3000;
    const int64_t gpu = at + ahead + drift;
    if (random() % 50 == 0) clocks.add(was_not_yet(gpu + late(random), at));
    clocks.add(was_over(gpu, at + late(random)));
  }
  return clocks;
}

TEST(GpuClock, WhatIsForgottenChangesNothingOfLaterTimes) {
  constexpr int64_t kSeconds = 7200;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    for (const int64_t ahead : {int64_t{0}, kAhead}) {
      Both clocks = sampled_for(kSeconds + seed, ahead, seed);
      EXPECT_LE(clocks.few.bounds(0).size(), GpuClock::kMaxBounds);
      GpuClock later;  // of a round that begins now
      for (const wire::GpuClockBody& bound : clocks.few.bounds(0)) later.add(bound);
      for (int64_t at = kSeconds + seed; at < kSeconds + seed + 3; ++at) {
        for (GpuClock* clock : {&clocks.all, &later})
          clock->add(was_over(ahead + at * kSecond, at * kSecond + 2 * kMs));
      }
      clocks.all.settle();
      later.settle();
      EXPECT_EQ(later.error_ns(), clocks.all.error_ns()) << seed;
      for (int64_t gpu = ahead + (kSeconds + seed) * kSecond; gpu < ahead + (kSeconds + seed + 4) * kSecond;
           gpu += kSecond / 7) {
        ASSERT_EQ(later.to_monotonic(gpu), clocks.all.to_monotonic(gpu)) << seed;
      }
    }
  }
}

TEST(GpuClock, OneThatWasNotOursIsNotLaterEither) {
  Both clocks;
  clocks.add(was_not_yet(kSecond + 3 * kMs, kSecond));
  constexpr int64_t kSeconds = 500;
  for (int64_t second = 1; second < kSeconds; ++second) {
    const int64_t ahead = second == kSeconds / 2 ? kMs : -kMs;
    clocks.add(was_over(second * kSecond + ahead, second * kSecond));
  }
  clocks.all.settle();
  clocks.few.settle();
  EXPECT_GT(clocks.all.error_ns(), 0);
  EXPECT_EQ(clocks.few.error_ns(), clocks.all.error_ns());
}

TEST(GpuClock, OfAnyBoundsAFewStay) {
  GpuClock only_before;
  GpuClock backwards;
  for (int64_t i = 1000; i > 0; --i) {
    only_before.add(was_not_yet(i * kSecond, 0));
    only_before.forget_old();
    backwards.add(was_over(i * kSecond, 0));
    backwards.add(was_not_yet(i * kSecond, 0));
    backwards.forget_old();
  }
  EXPECT_LE(only_before.bounds(0).size(), GpuClock::kMaxBounds);
  EXPECT_LE(backwards.bounds(0).size(), GpuClock::kMaxBounds);
}

}  // namespace gpu_clock_test
}  // namespace sonde::record
