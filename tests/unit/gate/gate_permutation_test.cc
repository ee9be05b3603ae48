#include "gate/permutation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "gate/correction.h"
#include "gate/random.h"

namespace sonde::gate {
namespace gate_permutation_test {

using Values = std::vector<double>;

struct Case {
  Values base;
  Values changed;
  double factor;
  double above;
  double below;
};

struct Family {
  std::vector<FamilyMember> members;
  Values adjusted;
};

#define SONDE_RUNS(...) __VA_ARGS__
const std::vector<Case> kCases{
#define SONDE_TEST_CASE(base, changed, factor, above, below) {base, changed, factor, above, below},
#define SONDE_TEST_FAMILY(members, adjusted)
#include "gate/gate_cases.inc"
#undef SONDE_TEST_CASE
#undef SONDE_TEST_FAMILY
};
const std::vector<Family> kFamilies{
#define SONDE_TEST_CASE(base, changed, factor, above, below)
#define SONDE_TEST_FAMILY(members, adjusted) {members, adjusted},
#include "gate/gate_cases.inc"
#undef SONDE_TEST_CASE
#undef SONDE_TEST_FAMILY
};

PermutationTest tested(const Values& base, const Values& changed) { return {base, changed, 1}; }

TEST(PermutationTest, p_values_counted_by_hand) {
  // All of the changed side above all of the base: 1 of C(6, 3) = 20 arrangements.
  EXPECT_DOUBLE_EQ(tested({1, 2, 3}, {4, 5, 6}).p_above(1), 1.0 / 20);
  EXPECT_DOUBLE_EQ(tested({1, 2, 3}, {4, 5, 6}).p_below(1), 1);
  // Sums of two of 1 2 3 4: 3 4 5 5 6 7, of which four are at least 5 and four at most.
  EXPECT_DOUBLE_EQ(tested({1, 4}, {2, 3}).p_above(1), 4.0 / 6);
  EXPECT_DOUBLE_EQ(tested({1, 4}, {2, 3}).p_below(1), 4.0 / 6);
}

TEST(PermutationTest, equal_sums_stay_equal_in_spite_of_rounding) {
  // 0.1 + 0.4 and 0.2 + 0.3 differ by a bit in their units.
  EXPECT_DOUBLE_EQ(tested({0.1, 0.4}, {0.2, 0.3}).p_above(1), 4.0 / 6);
  EXPECT_DOUBLE_EQ(tested({0.1, 0.4}, {0.2, 0.3}).p_below(1), 4.0 / 6);
  EXPECT_DOUBLE_EQ(tested({7, 7, 7}, {7, 7, 7}).p_above(1), 1);
  EXPECT_DOUBLE_EQ(tested({7, 7, 7}, {7, 7, 7}).p_below(1), 1);
}

TEST(PermutationTest, exact_fractions_of_the_second_computation) {
  ASSERT_GT(kCases.size(), 30U);
  for (const Case& c : kCases) {
    const auto test = tested(c.base, c.changed);
    EXPECT_NEAR(test.p_above(c.factor), c.above, 1e-12) << c.base.size() << " " << c.changed.size() << " " << c.factor;
    EXPECT_NEAR(test.p_below(c.factor), c.below, 1e-12) << c.base.size() << " " << c.changed.size() << " " << c.factor;
  }
}

TEST(PermutationTest, one_run_a_side_tells_nothing) {
  const auto test = tested({1}, {100});
  EXPECT_DOUBLE_EQ(test.p_above(1), 0.5);
  EXPECT_DOUBLE_EQ(test.smallest_p(), 0.5);
  EXPECT_EQ(test.lower_bound(0.05), 0);
  EXPECT_EQ(test.upper_bound(0.05), std::numeric_limits<double>::infinity());
}

TEST(PermutationTest, smallest_p_is_one_of_all_arrangements) {
  EXPECT_DOUBLE_EQ(tested(Values(5, 1), Values(5, 1)).smallest_p(), 1.0 / 252);
  EXPECT_DOUBLE_EQ(tested(Values(10, 1), Values(10, 1)).smallest_p(), 1.0 / 184756);
}

TEST(PermutationTest, bounds_are_where_the_p_value_crosses_the_level) {
  const auto test = tested({10, 11, 12}, {20, 21, 22});
  // p_above is 1 / 20 while every changed run is above every base run once divided: 20 / factor > 12.
  EXPECT_NEAR(test.lower_bound(0.05), 20.0 / 12, 1e-9);
  EXPECT_NEAR(test.upper_bound(0.05), 22.0 / 10, 1e-9);
  Random random(4);
  for (int round = 0; round < 50; ++round) {
    Values base(6);
    Values changed(7);
    for (double& v : base) v = 100 * std::exp(0.05 * random.normal());
    for (double& v : changed) v = 105 * std::exp(0.05 * random.normal());
    const auto any = tested(base, changed);
    EXPECT_LE(any.p_above(any.lower_bound(0.01)), 0.01);
    EXPECT_GT(any.p_above(any.lower_bound(0.01) * (1 + 1e-9)), 0.01);
    EXPECT_LE(any.p_below(any.upper_bound(0.01)), 0.01);
    EXPECT_GT(any.p_below(any.upper_bound(0.01) * (1 - 1e-9)), 0.01);
  }
}

/// Counts over all bit masks: nothing in common with the halves that the test sums.
double naive_p_above(const Values& base, const Values& changed, double factor) {
  Values all = base;
  for (const double v : changed) all.push_back(v / factor);
  long double measured = 0;
  for (size_t i = base.size(); i < all.size(); ++i) measured += all[i];
  int count = 0;
  int arrangements = 0;
  for (uint32_t mask = 0; mask < (1U << all.size()); ++mask) {
    if (static_cast<size_t>(std::popcount(mask)) != changed.size()) continue;
    long double sum = 0;
    for (size_t i = 0; i < all.size(); ++i) sum += (mask >> i & 1U) != 0 ? all[i] : 0;
    ++arrangements;
    count += sum >= measured * (1 - 1e-11L) ? 1 : 0;
  }
  return static_cast<double>(count) / arrangements;
}

TEST(PermutationTest, drawn_arrangements_come_near_to_all) {
  Random random(5);
  for (const double shift : {1.0, 1.02, 1.05}) {
    Values base(15);  // more than are counted
    Values changed(4);
    for (double& v : base) v = 100 * std::exp(0.02 * random.normal());
    for (double& v : changed) v = 100 * shift * std::exp(0.02 * random.normal());
    const double exact = naive_p_above(base, changed, 1.01);
    const double drawn = tested(base, changed).p_above(1.01);
    EXPECT_NEAR(drawn, exact, 5 * std::sqrt(exact * (1 - exact) / 1e5) + 2e-5) << shift;
    EXPECT_EQ(drawn, tested(base, changed).p_above(1.01)) << "the seed decides";
  }
  EXPECT_DOUBLE_EQ(tested(Values(15, 1), Values(15, 1)).smallest_p(), 1.0 / 100'001);
  EXPECT_DOUBLE_EQ(tested(Values(15, 1), Values(15, 1)).p_above(1), 1);
}

TEST(PermutationTest, p_values_of_equal_sides_are_no_smaller_than_chance) {
  Random random(6);
  constexpr int kRounds = 4000;
  int below_5_percent = 0;
  for (int round = 0; round < kRounds; ++round) {
    Values base(5);
    Values changed(5);
    for (Values* side : {&base, &changed}) {
      for (double& v : *side) v = 1 - std::log(1 - random.unit());  // far from normal
    }
    below_5_percent += tested(base, changed).p_above(1) <= 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(below_5_percent) / kRounds, 12.0 / 252, 0.011);
}

TEST(Correction, holm_and_benjamini_hochberg_by_hand) {
  const Values p{0.01, 0.04, 0.03};
  const Values of_holm = holm(p);
  EXPECT_DOUBLE_EQ(of_holm[0], 0.03);
  EXPECT_DOUBLE_EQ(of_holm[1], 0.06);
  EXPECT_DOUBLE_EQ(of_holm[2], 0.06);
  const Values of_bh = benjamini_hochberg(p);
  EXPECT_DOUBLE_EQ(of_bh[0], 0.03);
  EXPECT_DOUBLE_EQ(of_bh[1], 0.04);
  EXPECT_DOUBLE_EQ(of_bh[2], 0.04);
  EXPECT_EQ(holm(Values{0.7, 0.8}), (Values{1, 1}));
  EXPECT_TRUE(holm(Values{}).empty());
  EXPECT_TRUE(benjamini_hochberg(Values{}).empty());
}

TEST(Correction, benjamini_hochberg_finds_the_four_of_its_authors_example) {
  // Benjamini and Hochberg 1995, section 3.2: 15 p-values, four found at 5 %, three by Holm's method.
  const Values p{.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .3240, .4262, .5719, .6528, .7590, 1};
  const auto found = [](const Values& adjusted) {
    return std::count_if(adjusted.begin(), adjusted.end(), [](double v) { return v <= 0.05; });
  };
  EXPECT_EQ(found(benjamini_hochberg(p)), 4);
  EXPECT_EQ(found(holm(p)), 3);
}

TEST(Correction, max_t_in_exact_fractions_of_the_second_computation) {
  ASSERT_EQ(kFamilies.size(), 5U);
  for (const Family& family : kFamilies) {
    const Values adjusted = max_t(family.members, 1);
    for (size_t m = 0; m < adjusted.size(); ++m) EXPECT_NEAR(adjusted[m], family.adjusted[m], 1e-12) << m;
  }
}

TEST(Correction, max_t_finds_one_kernel_of_two_hundred_with_five_runs) {
  Random random(7);
  std::vector<FamilyMember> family(200, {Values(5), Values(5)});
  for (FamilyMember& member : family) {
    for (Values* side : {&member.base, &member.changed}) {
      for (double& v : *side) v = 100 * std::exp(0.005 * random.normal());
    }
  }
  for (double& v : family[17].changed) v *= 1.1;
  const Values adjusted = max_t(family, 1);
  EXPECT_DOUBLE_EQ(adjusted[17], 1.0 / 252);
  for (size_t m = 0; m < family.size(); ++m) EXPECT_TRUE(m == 17 || adjusted[m] > 0.005) << m;
}

TEST(Correction, max_t_by_drawn_arrangements_comes_near_to_all) {
  const Family& family = kFamilies[3];
  const Values exact = max_t(family.members, 1);
  constexpr size_t kFewer = 251;  // of 252, so that they are drawn
  for (const size_t m : {size_t{0}, size_t{1}}) {
    const double drawn = max_t(family.members, 1, kFewer)[m];
    EXPECT_NEAR(drawn, exact[m], 0.12);
    EXPECT_GE(drawn, 1.0 / (kFewer + 1));
  }
}

TEST(Correction, max_t_holds_the_family_wise_rate_though_members_share_their_noise) {
  Random random(8);
  constexpr int kRounds = 600;
  int alarms = 0;
  for (int round = 0; round < kRounds; ++round) {
    Values shared(10);
    for (double& v : shared) v = random.normal();
    std::vector<FamilyMember> family(20, {Values(5), Values(5)});
    for (FamilyMember& member : family) {
      for (size_t run = 0; run < 10; ++run) {
        (run < 5 ? member.base[run] : member.changed[run - 5]) = 100 + shared[run] + random.normal();
      }
    }
    const Values adjusted = max_t(family, 1);
    alarms += *std::min_element(adjusted.begin(), adjusted.end()) <= 0.05 ? 1 : 0;
  }
  EXPECT_LT(static_cast<double>(alarms) / kRounds, 0.05 + 0.03);
  EXPECT_GT(static_cast<double>(alarms) / kRounds, 0.05 - 0.03);
}

}  // namespace gate_permutation_test
}  // namespace sonde::gate
