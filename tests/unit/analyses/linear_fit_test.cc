#include "analyses/tables/linear_fit.h"

#include <vector>

#include <gtest/gtest.h>

namespace sonde {
namespace linear_fit_test {

using Points = std::vector<std::pair<double, double>>;

TEST(LinearFit, a_line_is_found_however_far_from_zero) {
  const auto fit = linear_fit(Points{{1e15, 5e3}, {1e15 + 1000, 7e3}, {1e15 + 3000, 11e3}});
  ASSERT_TRUE(fit);
  EXPECT_DOUBLE_EQ(fit->slope, 2);
  EXPECT_NEAR(*fit->correlation, 1, 1e-12);
}

TEST(LinearFit, points_off_the_line) {
  const auto fit = linear_fit(Points{{0, 1}, {1, 3}, {2, 2}});
  ASSERT_TRUE(fit);
  EXPECT_DOUBLE_EQ(fit->slope, 0.5);
  EXPECT_DOUBLE_EQ(fit->intercept, 1.5);
  EXPECT_DOUBLE_EQ(*fit->correlation, 0.5);
}

TEST(LinearFit, what_has_no_line_or_no_correlation) {
  EXPECT_FALSE(linear_fit(Points{}));
  EXPECT_FALSE(linear_fit(Points{{1, 1}}));
  EXPECT_FALSE(linear_fit(Points{{1, 1}, {1, 2}}));
  EXPECT_EQ(linear_fit(Points{{1, 2}, {2, 2}})->correlation, std::nullopt);
}

}  // namespace linear_fit_test
}  // namespace sonde
