#include "analyses/timeline/row_ends.h"

#include <random>

#include <gtest/gtest.h>

namespace sonde {
namespace row_ends_test {

TEST(RowEnds, GivesTheFirstFreeRow) {
  RowEnds ends;
  EXPECT_EQ(ends.first_free(0, 0), 0U);
  ends.take(0, 10);
  EXPECT_EQ(ends.first_free(9, 0), 1U);
  EXPECT_EQ(ends.first_free(10, 0), 0U);
  ends.take(3, 20);
  EXPECT_EQ(ends.first_free(9, 0), 1U);
  EXPECT_EQ(ends.first_free(9, 3), 4U);
  EXPECT_EQ(ends.first_free(20, 3), 3U);
}

/// Against a search of all rows.
TEST(RowEnds, IsASearchOfAllRows) {
  std::mt19937 random(5);
  const auto below = [&](uint32_t bound) { return static_cast<int64_t>(random() % bound); };
  for (int run = 0; run < 20; ++run) {
    RowEnds ends;
    std::vector<int64_t> all;
    for (int64_t time = 0; time < 400; time += below(3)) {
      const auto least = static_cast<size_t>(below(8));
      size_t expected = least;
      while (expected < all.size() && all[expected] > time) ++expected;
      const size_t row = ends.first_free(time, least);
      ASSERT_EQ(row, expected);
      const int64_t until = time + below(60);
      if (row >= all.size()) all.resize(row + 1, 0);
      all[row] = until;
      ends.take(row, until);
    }
  }
}

}  // namespace row_ends_test
}  // namespace sonde
