#include "dispatch/estimates.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "dispatch/estimates/tail_bound.h"

namespace sonde::dispatch {
namespace estimates_test {

constexpr double kGiB = 1073741824.0;

Measured peak(double gib) {
  return {.type = "train",
          .gpu_name = "H100",
          .peak_bytes = static_cast<int64_t>(gib * kGiB),
          .run_ns = {},
          .out_of_memory = false};
}

Measured run(const std::string& gpu, int64_t ns) {
  return {.type = "train", .gpu_name = gpu, .peak_bytes = {}, .run_ns = ns};
}

/// Share of the next 200 tasks that take more than is kept for them, once 20 were measured. Each such one is told as
/// out of memory and tried again with what is kept then, as the dispatcher does.
double share_out_of_memory(const std::function<double(std::mt19937_64&)>& draw) {
  constexpr int kTrials = 150;
  constexpr int kLearned = 20;
  constexpr int kNext = 200;
  std::mt19937_64 random(20);
  int64_t out = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Estimates estimates;
    for (int task = 0; task < kLearned + kNext; ++task) {
      const Measured measured = peak(draw(random));
      while (task >= kLearned && estimates.memory("train")->need_bytes < *measured.peak_bytes) {
        ++out;
        Measured failed = measured;
        failed.peak_bytes.reset();
        failed.out_of_memory = true;
        failed.reserved_bytes = estimates.memory("train")->need_bytes;
        estimates.learn(failed);
      }
      estimates.learn(measured);
    }
  }
  return static_cast<double>(out) / (kTrials * kNext);
}

double normal(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }
double uniform(std::mt19937_64& random) { return std::uniform_real_distribution<double>(0, 1)(random); }

TEST(Estimates, NothingIsSaidBeforeThreeTasks) {
  Estimates estimates;
  estimates.learn(peak(4));
  estimates.learn(peak(4));
  EXPECT_FALSE(estimates.memory("train"));
  EXPECT_FALSE(estimates.memory("other"));
  estimates.learn(peak(4));
  ASSERT_TRUE(estimates.memory("train"));
  EXPECT_EQ(estimates.memory("train")->tasks, 3);
}

TEST(Estimates, EqualPeaksNeedTheMargin) {
  Estimates estimates;
  for (int i = 0; i < 30; ++i) estimates.learn(peak(10));
  const MemoryEstimate memory = *estimates.memory("train");
  EXPECT_NEAR(static_cast<double>(memory.need_bytes), 10.5 * kGiB, 2);
  EXPECT_EQ(memory.spread_bytes, 0);
  EXPECT_NEAR(static_cast<double>(memory.median_bytes), 10 * kGiB, 2);
}

TEST(Estimates, AtMostOneInAHundredTakesMore) {
  EXPECT_LE(share_out_of_memory([](auto& r) { return 10 * std::exp(0.1 * normal(r)); }), 0.01) << "log-normal";
  EXPECT_LE(share_out_of_memory([](auto& r) { return 10 * std::exp(0.5 * normal(r)); }), 0.01) << "wide log-normal";
  EXPECT_LE(share_out_of_memory([](auto& r) { return std::max(1.0, 10 + 2 * normal(r)); }), 0.01) << "normal";
  EXPECT_LE(share_out_of_memory([](auto& r) { return (uniform(r) < 0.5 ? 5 : 12) * std::exp(0.03 * normal(r)); }), 0.01)
      << "two modes";
  EXPECT_LE(share_out_of_memory([](auto& r) { return (uniform(r) < 0.9 ? 5 : 12) * std::exp(0.03 * normal(r)); }), 0.01)
      << "a rare mode";
  EXPECT_LE(share_out_of_memory([](auto& r) { return 5 * std::pow(uniform(r), -0.2); }), 0.01) << "power law";
  EXPECT_LE(share_out_of_memory([](auto& r) { return 5 * std::exp(0.15 * std::student_t_distribution<double>(3)(r)); }),
            0.01)
      << "heavier than a power law";
}

/// It is exact for a power law: the share that passes it is the one that was asked for.
TEST(Estimates, ABoundOfAPowerLawIsExact) {
  constexpr int kTrials = 40'000;
  constexpr double kAsked = 0.02;
  std::mt19937_64 random(21);
  const auto draw = [&] { return static_cast<int64_t>(1e9 * std::pow(uniform(random), -0.25)); };
  int passed = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<int64_t> values(15);
    std::ranges::generate(values, draw);
    std::ranges::sort(values);
    if (static_cast<double>(draw()) > tail_bound(values, kAsked)) ++passed;
  }
  EXPECT_NEAR(static_cast<double>(passed) / kTrials, kAsked, 0.003);  // four standard errors
}

TEST(Estimates, LittleIsKeptBeyondWhatTasksOfOneSizeTake) {
  std::mt19937_64 random(22);
  Estimates estimates;
  for (int i = 0; i < 60; ++i) estimates.learn(peak(10 * std::exp(0.05 * normal(random))));
  EXPECT_LT(static_cast<double>(estimates.memory("train")->need_bytes), 13.5 * kGiB);
}

TEST(Estimates, AfterOutOfMemoryMoreIsKeptUntilItIsLongAgo) {
  Estimates estimates;
  for (int i = 0; i < 30; ++i) estimates.learn(peak(10));
  Measured out = peak(0);
  out.peak_bytes.reset();
  out.out_of_memory = true;
  out.reserved_bytes = static_cast<int64_t>(20 * kGiB);
  estimates.learn(out);
  EXPECT_GE(static_cast<double>(estimates.memory("train")->need_bytes), 30 * kGiB);
  for (int i = 0; i < 100; ++i) estimates.learn(peak(10));
  EXPECT_GE(static_cast<double>(estimates.memory("train")->need_bytes), 30 * kGiB);
  for (int i = 0; i < 101; ++i) estimates.learn(peak(10));
  EXPECT_LT(static_cast<double>(estimates.memory("train")->need_bytes), 11 * kGiB);
}

TEST(Estimates, FewTasksKeepAtMostHalfMoreThanTheirPeak) {
  Estimates estimates;
  for (const double gib : {1.0, 4.0, 16.0}) estimates.learn(peak(gib));
  EXPECT_NEAR(static_cast<double>(estimates.memory("train")->need_bytes), 24 * kGiB, 2);
}

TEST(Estimates, RunTimesAreOfTheGpuOrOfAny) {
  Estimates estimates;
  for (int64_t i = 1; i <= 11; ++i) estimates.learn(run("H100", i * 10));
  estimates.learn(run("A100", 1000));
  const auto own = estimates.run_time("train", "H100");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->median_ns, 60);
  EXPECT_EQ(own->low_ns, 20);
  EXPECT_EQ(own->high_ns, 100);
  EXPECT_EQ(estimates.run_time("train", "A100")->tasks, 12) << "one is too few: of any GPU";
  EXPECT_EQ(estimates.run_times("train", "H100").size(), 11U);
  EXPECT_EQ(estimates.run_times("train", "L4").size(), 12U);
  EXPECT_TRUE(estimates.run_times("other", "H100").empty());
  EXPECT_EQ(estimates.run_times_of_all().size(), 12U);
}

TEST(Estimates, SpeedIsAgainstTheFastest) {
  Estimates estimates;
  for (int i = 0; i < 3; ++i) estimates.learn(run("H100", 100));
  for (int i = 0; i < 3; ++i) estimates.learn(run("A100", 250));
  estimates.learn(run("L4", 1));
  EXPECT_DOUBLE_EQ(*estimates.speed("train", "H100"), 1);
  EXPECT_DOUBLE_EQ(*estimates.speed("train", "A100"), 0.4);
  EXPECT_FALSE(estimates.speed("train", "L4"));
  EXPECT_FALSE(estimates.speed("other", "H100"));
}

TEST(Estimates, OnlyTheLastTwoHundredCount) {
  Estimates estimates;
  for (int i = 0; i < 200; ++i) estimates.learn(peak(30));
  for (int i = 0; i < 200; ++i) estimates.learn(peak(3));
  EXPECT_LT(static_cast<double>(estimates.memory("train")->need_bytes), 3.2 * kGiB);
  EXPECT_EQ(estimates.memory("train")->tasks, 200);
}

}  // namespace estimates_test
}  // namespace sonde::dispatch
