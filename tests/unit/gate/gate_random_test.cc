#include "gate/random.h"

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace sonde::gate {
namespace gate_random_test {

TEST(GateRandom, draws_the_same_numbers_on_every_platform) {
  // The 10,000th number of std::mt19937_64 is fixed by the standard for its default seed, 5489.
  Random random(5489);
  for (int i = 0; i < 9999; ++i) static_cast<void>(random.unit());
  constexpr uint64_t kTenThousandth = 9981545732273789042U;
  EXPECT_EQ(random.unit(), static_cast<double>(kTenThousandth >> 11U) * 0x1p-53);
}

TEST(GateRandom, every_number_below_comes_equally_often) {
  Random random(1);
  std::array<int, 7> seen{};
  constexpr int kDraws = 70'000;
  for (int i = 0; i < kDraws; ++i) ++seen[random.below(seen.size())];
  double chi_squared = 0;
  for (const int count : seen) chi_squared += std::pow(count - 10'000, 2) / 10'000;
  EXPECT_LT(chi_squared, 22.5);  // 99.9 % of chi squared with 6 degrees of freedom
  EXPECT_EQ(random.below(1), 0U);
}

TEST(GateRandom, chooses_without_replacement) {
  Random random(2);
  std::vector<double> values{1, 2, 3, 4, 5};
  for (int i = 0; i < 100; ++i) {
    random.choose(values, 3);
    EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), 5U);
  }
}

TEST(GateRandom, normal_numbers_have_the_moments_of_the_normal_distribution) {
  Random random(3);
  constexpr int kDraws = 200'000;
  double sum = 0;
  double squares = 0;
  int beyond = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    beyond += std::abs(x) > 1.959964 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.015);
  EXPECT_NEAR(static_cast<double>(beyond) / kDraws, 0.05, 0.002);
}

}  // namespace gate_random_test
}  // namespace sonde::gate
