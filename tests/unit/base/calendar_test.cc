#include "base/text/calendar.h"

#include <gtest/gtest.h>

namespace sonde {
namespace calendar_test {

// date -u -d @SECONDS +%FT%T
TEST(Calendar, WritesAndReadsMoments) {
  for (const auto& [seconds, text] : {std::pair<int64_t, std::string_view>{0, "1970-01-01T00:00:00"},
                                      {1697498538, "2023-10-16T23:22:18"},
                                      {951827696, "2000-02-29T12:34:56"},
                                      {-1, "1969-12-31T23:59:59"}}) {
    EXPECT_EQ(moment_text(seconds), text);
    EXPECT_EQ(parse_moment(text), seconds);
  }
  EXPECT_EQ(moment_text(1697498538, ' '), "2023-10-16 23:22:18");
}

TEST(Calendar, TakesNothingElseForAMoment) {
  for (const std::string_view text :
       {"", "2023-10-16", "2023-10-16 23:22:18", "2023-02-29T00:00:00", "2023-10-16T24:00:00", "2023-10-16T23:60:00",
        "2023-13-01T00:00:00", "-023-10-16T23:22:18", "2023-10-16T23:22:1x", "2023-10-16T23:22:188"}) {
    EXPECT_FALSE(parse_moment(text)) << text;
  }
}

}  // namespace calendar_test
}  // namespace sonde
