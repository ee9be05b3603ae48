#include "analyses/replay/ended_operations.h"

#include <gtest/gtest.h>

namespace sonde {
namespace ended_operations_test {

TEST(EndedOperations, TheLastThatEndedUntilATime) {
  EndedOperations ended;
  EXPECT_FALSE(ended.last_until(1'000));
  ended.add({.recorded_ns = 300, .for_gpu_ns = 3, .for_host_ns = 30});
  ended.add({.recorded_ns = 100, .for_gpu_ns = 1, .for_host_ns = 10});
  ended.add({.recorded_ns = 200, .for_gpu_ns = 2, .for_host_ns = 20});
  EXPECT_FALSE(ended.last_until(99));
  EXPECT_EQ(ended.last_until(100)->for_gpu_ns, 1);
  EXPECT_EQ(ended.last_until(299)->for_host_ns, 20);
  EXPECT_EQ(ended.last_until(1'000)->recorded_ns, 300);
}

TEST(EndedOperations, OfEqualEndsTheLastAdded) {
  EndedOperations ended;
  ended.add({.recorded_ns = 100, .for_gpu_ns = 1, .for_host_ns = 1});
  ended.add({.recorded_ns = 100, .for_gpu_ns = 2, .for_host_ns = 2});
  EXPECT_EQ(ended.last_until(100)->for_gpu_ns, 2);
}

TEST(EndedOperations, RemembersTheLatestEndsInWhateverOrderTheyCome) {
  EndedOperations ended;
  for (int64_t i = 0; i < 1'000; ++i) {
    const int64_t end = i % 2 == 0 ? 10 * i + 15 : 10 * i - 5;  // neighbours change places
    ended.add({.recorded_ns = end, .for_gpu_ns = end, .for_host_ns = end});
  }
  const int64_t last = 10 * 998 + 15;
  const int64_t earliest = last - 10 * 63;
  EXPECT_EQ(ended.last_until(1'000'000)->recorded_ns, last);
  EXPECT_EQ(ended.last_until(earliest)->for_gpu_ns, earliest);
  EXPECT_FALSE(ended.last_until(earliest - 1));
}

}  // namespace ended_operations_test
}  // namespace sonde
