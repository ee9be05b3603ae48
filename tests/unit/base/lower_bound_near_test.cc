#include "base/system/lower_bound_near.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sonde {
namespace lower_bound_near_test {

const std::vector<int64_t> kTimes = {1, 3, 3, 3, 7, 8, 20, 20, 31, 40};

TEST(LowerBoundNear, FindsTheFirstFromAnyPlaceBeforeIt) {
  for (int64_t time = 0; time < 45; ++time) {
    const auto first = static_cast<size_t>(std::ranges::lower_bound(kTimes, time) - kTimes.begin());
    for (size_t near = 0; near <= first; ++near) {
      EXPECT_EQ(lower_bound_near(std::span(kTimes), time, near), first) << time << " near " << near;
    }
  }
}

TEST(UpperBoundNear, FindsTheFirstFromAnyPlace) {
  for (int64_t time = 0; time < 45; ++time) {
    const auto first = static_cast<size_t>(std::ranges::upper_bound(kTimes, time) - kTimes.begin());
    for (size_t near = 0; near <= kTimes.size(); ++near) {
      EXPECT_EQ(upper_bound_near(std::span(kTimes), time, near), first) << time << " near " << near;
    }
  }
}

TEST(UpperBoundNear, OfNothingIsNothing) { EXPECT_EQ(upper_bound_near(std::span<const int64_t>(), int64_t{5}, 0), 0U); }

}  // namespace lower_bound_near_test
}  // namespace sonde
