#include "gate/history/time_text.h"

#include <gtest/gtest.h>

#include "gate/history/history.h"

namespace sonde::gate {
namespace time_text_test {

TEST(TimeText, AllForms) {
  constexpr int64_t kNewYear = 1767225600;  // 2026-01-01T00:00:00Z, as `date -u -d 2026-01-01 +%s` prints it
  EXPECT_EQ(parse_time("2026-01-01"), kNewYear);
  EXPECT_EQ(parse_time("2026-01-01T00:00:00Z"), kNewYear);
  EXPECT_EQ(parse_time("2026.1.1 1:00:00 +0100"), kNewYear);
  EXPECT_EQ(parse_time("2025/12/31 18:30 -05:30"), kNewYear);
  EXPECT_EQ(parse_time("2026-01-01 00:00:00.123456"), kNewYear);
  EXPECT_EQ(parse_time("1767225600"), kNewYear);
  EXPECT_EQ(parse_time("1767225600.75"), kNewYear);
}

TEST(TimeText, OtherTextsAreNone) {
  for (const char* text : {"", "2026", "2026-13-01", "2026-02-30", "2026-01-01x", "2026-01-01T", "2026-01-01T25:00",
                           "12:00", "x", "99999999999999999999", "-5", "2026-01-01 00:00:00 +"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(TimeText, Ages) {
  EXPECT_EQ(parse_age("30d"), 30 * 86400);
  EXPECT_EQ(parse_age("12h"), 12 * 3600);
  EXPECT_EQ(parse_age("2w"), 14 * 86400);
  for (const char* text : {"", "d", "30", "-1d", "3m", "1.5d", "99999999999d"}) EXPECT_FALSE(parse_age(text)) << text;
  EXPECT_EQ(*moment_or_age("1d", 100'000, "--since"), 13'600);
  EXPECT_FALSE(moment_or_age("soon", 0, "--since"));
}

TEST(CsvHistory, OrdersByTimeAndPassesOverTexts) {
  const auto history = history_of_csv(
      "time;commit;branch;step_time\r\n2026-01-02;bbb;main;20\r\n\r\n2026-01-01;\"a;a\";main;10\r\n2026-01-03;c;main;"
      "\r\n",
      {});
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->series.size(), 1U);
  const HistorySeries& series = history->series.front();
  EXPECT_EQ(series.metric, "step_time");
  EXPECT_EQ(series.unit, Unit::nanoseconds);
  ASSERT_EQ(series.points.size(), 2U);
  EXPECT_EQ(series.points[0].commit, "a;a");
  EXPECT_EQ(series.points[1].value, 20);
}

TEST(CsvHistory, MistakesAreNamedWithTheirLine) {
  const auto said = [](std::string_view csv, HistoryOptions options = {}) {
    const auto history = history_of_csv(csv, options);
    return history ? std::string("no error") : history.error().message;
  };
  EXPECT_EQ(said(""), "the CSV file is empty");
  EXPECT_EQ(said("a,b\n1,2\n"), "the CSV file has no column 'time' in its first line");
  EXPECT_EQ(said("time,a\n2026-01-01,1\n2026-01-02\n"), "line 3 has 1 cells, the header has 2");
  EXPECT_EQ(said("time,a\nsoon,1\n"), "line 2: 'soon' is not a time; write it as 2026-01-31T12:00:00Z");
  EXPECT_EQ(said("time,a\n2026-01-01,x\n"), "the CSV file has no numeric column besides 'time'");
  EXPECT_EQ(said("time,a\n2026-01-01,x\n", {.metrics = {"a"}}), "line 2: 'x' in column 'a' is not a number");
  EXPECT_EQ(said("time,step\n2026-01-01,1\n", {.metrics = {"stpe"}}),
            "the CSV file has no column 'stpe', did you mean 'step'?");
  EXPECT_EQ(said("time,a\n2026-01-01,nan\n"), "the CSV file has no numeric column besides 'time'");
}

}  // namespace time_text_test
}  // namespace sonde::gate
