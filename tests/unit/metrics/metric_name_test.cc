#include "metrics/metric_name.h"

#include <gtest/gtest.h>

namespace sonde {
namespace metric_name_test {

TEST(MetricName, HasHardwareCounterRollupAndSubmetric) {
  const MetricName name = split_metric_name("breakdown:sm__inst_executed.avg.per_cycle_active");
  EXPECT_EQ(name.prefix, "breakdown");
  EXPECT_EQ(name.hardware, "sm");
  EXPECT_EQ(name.counter, "sm__inst_executed");
  EXPECT_EQ(name.rollup, "avg");
  EXPECT_EQ(name.submetric, "per_cycle_active");
}

TEST(MetricName, PartsThatAreNotThereAreEmpty) {
  const MetricName name = split_metric_name("launch__grid_size");
  EXPECT_EQ(name.hardware, "launch");
  EXPECT_EQ(name.counter, "launch__grid_size");
  EXPECT_TRUE(name.prefix.empty() && name.rollup.empty() && name.submetric.empty());
  EXPECT_TRUE(split_metric_name("").counter.empty());
}

}  // namespace metric_name_test
}  // namespace sonde
