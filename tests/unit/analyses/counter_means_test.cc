#include "analyses/kernels/counter_means.h"

#include <cmath>

#include <gtest/gtest.h>

namespace sonde {
namespace counter_means_test {

CounterSeries series_of(const Times& times, const std::vector<double>& values, bool sampled) {
  CounterValues table;
  table.start = times;
  table.value = values;
  std::vector<Row> rows;
  for (Row row = 0; row < times.size(); ++row) rows.push_back(row);
  return {table, rows, sampled};
}

TEST(CounterMeans, ASampleTellsOfTheTimeBeforeIt) {
  const CounterSeries series = series_of({100, 200, 400}, {99, 10, 40}, true);
  EXPECT_EQ(series.over_all().covered_ns, 300);
  EXPECT_DOUBLE_EQ(*series.over_all().mean(), 30);
  EXPECT_DOUBLE_EQ(*series.over({150, 250}).mean(), 25);
  EXPECT_DOUBLE_EQ(*series.over({250, 260}).mean(), 40);
}

TEST(CounterMeans, AWrittenValueHoldsUntilTheNext) {
  const CounterSeries series = series_of({100, 200, 400}, {99, 10, 40}, false);
  EXPECT_DOUBLE_EQ(*series.over({150, 250}).mean(), 54.5);
  EXPECT_EQ(series.over({400, 500}).mean(), std::nullopt);
}

TEST(CounterMeans, TimeWithoutAValueDoesNotCount) {
  const CounterSeries series = series_of({0, 100, 200, 300}, {0, 10, std::nan(""), 30}, true);
  EXPECT_EQ(series.over_all().covered_ns, 200);
  EXPECT_DOUBLE_EQ(*series.over_all().mean(), 20);
  EXPECT_EQ(series.over({120, 180}).mean(), std::nullopt);
  EXPECT_EQ(series.over({-50, 0}).mean(), std::nullopt);
  EXPECT_EQ(series.over({50, 50}).mean(), std::nullopt);
}

TEST(CounterMeans, OneSampleTellsNothing) {
  EXPECT_EQ(series_of({100}, {5}, true).over_all().mean(), std::nullopt);
  EXPECT_EQ(series_of({}, {}, false).over_all().mean(), std::nullopt);
}

}  // namespace counter_means_test
}  // namespace sonde
