#include "findings/measured_gains.h"

#include <gtest/gtest.h>

namespace sonde {
namespace measured_gains_test {

// The expected ranges were computed in Python from measured_gains.inc, with t from a printed table.
TEST(MeasuredGains, AreAPredictionInterval) {
  const auto host = likely_gain(FixKind::host_wait, 100'000);
  ASSERT_TRUE(host);
  EXPECT_NEAR(static_cast<double>(host->low_ns), 85'175, 20);
  EXPECT_EQ(host->cases, 5U);
  const auto precision = likely_gain(FixKind::precision, 100'000);
  ASSERT_TRUE(precision);
  EXPECT_NEAR(static_cast<double>(precision->low_ns), 62'766, 20);
  EXPECT_NEAR(static_cast<double>(precision->high_ns), 98'011, 20);
  EXPECT_EQ(precision->cases, 3U);
}

TEST(MeasuredGains, NoFixGainsMoreThanItsBound) { EXPECT_EQ(likely_gain(FixKind::host_wait, 1'000)->high_ns, 1'000); }

TEST(MeasuredGains, WhatNobodyMeasuredHasNone) { EXPECT_FALSE(likely_gain(FixKind::unmeasured, 1'000)); }

}  // namespace measured_gains_test
}  // namespace sonde
