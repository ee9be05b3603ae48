#include "base/system/sort_runs.h"

#include <random>
#include <utility>

#include <gtest/gtest.h>

namespace sonde {
namespace sort_runs_test {

using Pairs = std::vector<std::pair<int, int>>;

/// A few sorted runs, with what tells equal ones apart.
Pairs runs_of(uint32_t seed, size_t runs, int keys) {
  std::mt19937 random(seed);
  Pairs all;
  for (size_t r = 0; r < runs; ++r) {
    Pairs run(random() % 50);
    for (auto& [key, place] : run) key = static_cast<int>(random() % static_cast<uint32_t>(keys));
    std::ranges::sort(run);
    all.insert(all.end(), run.begin(), run.end());
  }
  int place = 0;
  for (auto& pair : all) pair.second = place++;
  return all;
}

TEST(SortRuns, IsAStableSort) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Pairs sorted = runs_of(seed, seed % 9, seed % 2 == 0 ? 5 : 1000);
    Pairs expected = sorted;
    std::ranges::stable_sort(expected, {}, &std::pair<int, int>::first);
    sort_runs(sorted, &std::pair<int, int>::first);
    EXPECT_EQ(sorted, expected) << seed;
  }
}

}  // namespace sort_runs_test
}  // namespace sonde
