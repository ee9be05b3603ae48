#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "wire/rounds.h"

namespace sonde::wire {
namespace record_rounds_test {

std::atomic<int64_t> ticks{0};
int64_t tick() noexcept { return ++ticks; }

TEST(WireRounds, OnlyOneIsOpen) {
  Header header{};
  EXPECT_FALSE(end_round(header, tick));
  EXPECT_TRUE(begin_round(header, tick));
  EXPECT_FALSE(begin_round(header, tick));
  EXPECT_TRUE(end_round(header, tick));
  EXPECT_FALSE(end_round(header, tick));
  EXPECT_EQ(header.rounds.begun.load(), 1U);
  EXPECT_EQ(header.rounds.finished.load(), 1U);
  EXPECT_LT(header.rounds.times[0].begin.load(), header.rounds.times[0].end.load());
}

TEST(WireRounds, NoneIsOverwrittenBeforeItIsTaken) {
  Header header{};
  for (uint32_t i = 0; i < kRounds; ++i) {
    ASSERT_TRUE(begin_round(header, tick));
    ASSERT_TRUE(end_round(header, tick));
  }
  EXPECT_FALSE(begin_round(header, tick));
  EXPECT_EQ(header.rounds.refused.load(), 1U);
  header.rounds.taken.store(1);
  EXPECT_TRUE(begin_round(header, tick));
  EXPECT_EQ(header.rounds.begun.load(), kRounds + 1);
}

TEST(WireRounds, ThreadsMakeRoundsThatDoNotOverlap) {
  Header header{};
  std::atomic<uint32_t> begun{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 10'000 && begun < kRounds; ++k) {
        if (begin_round(header, tick)) ++begun;
        end_round(header, tick);
      }
    });
  }
  threads.clear();
  end_round(header, tick);
  ASSERT_EQ(header.rounds.begun.load(), begun.load());
  ASSERT_EQ(header.rounds.finished.load(), begun.load());
  for (uint32_t i = 0; i < begun; ++i) {
    EXPECT_LT(header.rounds.times[i].begin.load(), header.rounds.times[i].end.load());
    if (i > 0) {
      EXPECT_LT(header.rounds.times[i - 1].end.load(), header.rounds.times[i].begin.load());
    }
  }
}

}  // namespace record_rounds_test
}  // namespace sonde::wire
