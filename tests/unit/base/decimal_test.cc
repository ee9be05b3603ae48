#include "base/text/decimal.h"

#include <limits>

#include <gtest/gtest.h>

namespace sonde {
namespace decimal_test {

TEST(ScaledDecimal, IsExactToTheNanosecond) {
  EXPECT_EQ(nanoseconds_of_us("1712195495893139.584"), 1712195495893139584);
  EXPECT_EQ(nanoseconds_of_us("2915995397957.66"), 2915995397957660);
  EXPECT_EQ(nanoseconds_of_us("1669783687464181"), 1669783687464181000);
  EXPECT_EQ(nanoseconds_of_us("0.001"), 1);
  EXPECT_EQ(nanoseconds_of_us("0"), 0);
}

TEST(ScaledDecimal, ReadsSignsAndExponents) {
  EXPECT_EQ(nanoseconds_of_us("-1.5"), -1500);
  EXPECT_EQ(nanoseconds_of_us("-0.0"), 0);
  EXPECT_EQ(nanoseconds_of_us("1.669783687464181e15"), 1669783687464181000);
  EXPECT_EQ(nanoseconds_of_us("25E-1"), 2500);
  EXPECT_EQ(nanoseconds_of_us("1e+2"), 100000);
}

TEST(ScaledDecimal, RoundsHalfAwayFromZero) {
  EXPECT_EQ(nanoseconds_of_us("0.0004999999"), 0);
  EXPECT_EQ(nanoseconds_of_us("0.0005"), 1);
  EXPECT_EQ(nanoseconds_of_us("-0.0005"), -1);
  EXPECT_EQ(nanoseconds_of_us("1.00000000000000000000000000001"), 1000);
}

TEST(ScaledDecimal, KnowsItsLimits) {
  EXPECT_EQ(scaled_decimal("9223372036854775807", 0), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(scaled_decimal("9223372036854775808", 0), std::nullopt);
  EXPECT_EQ(scaled_decimal("18446744073709551617", 0), std::nullopt);  // 2^64 + 1
  EXPECT_EQ(scaled_decimal("9223372036854775.807", 3), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(scaled_decimal("9223372036854775.808", 3), std::nullopt);
  EXPECT_EQ(nanoseconds_of_us("1e300"), std::nullopt);
  EXPECT_EQ(nanoseconds_of_us("0e300"), 0);
  EXPECT_EQ(nanoseconds_of_us("1e-300"), 0);
  EXPECT_EQ(nanoseconds_of_us("1e999999999999"), std::nullopt);
  EXPECT_EQ(nanoseconds_of_us("99999999999999999999999"), std::nullopt);
}

TEST(ScaledDecimal, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-", ".", "1.2.3", "1e", "NaN", "Infinity", "12abc", "1 2", "0x10", "\"1\""}) {
    EXPECT_EQ(nanoseconds_of_us(text), std::nullopt) << text;
  }
}

TEST(IntegerOf, TakesWholeTextsOnly) {
  EXPECT_EQ(integer_of<uint64_t>("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(integer_of<int64_t>("18446744073709551615"), std::nullopt);
  EXPECT_EQ(integer_of<int32_t>("7 "), std::nullopt);
}

}  // namespace decimal_test
}  // namespace sonde
