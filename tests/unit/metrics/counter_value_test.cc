#include "metrics/counter_value.h"

#include <gtest/gtest.h>

#include "record/one_launch.h"

namespace sonde {
namespace counter_value_test {

constexpr std::string_view kBytes = "dram__bytes";
constexpr std::string_view kAdds = "smsp__sass_thread_inst_executed_op_fadd_pred_on";

TEST(CounterValue, rates_by_what_the_report_has) {
  const auto rate = [](const OneLaunch& launch) { return counter_per_second(launch.trace(), launch.kernel(), kAdds); };
  const std::string name(kAdds);
  EXPECT_EQ(rate(OneLaunch().with(name + ".sum.per_second", 7)), 7);
  EXPECT_EQ(rate(OneLaunch().with(name + ".sum.per_cycle_elapsed", 7)), std::nullopt);
  EXPECT_EQ(rate(OneLaunch().with(name + ".sum.per_cycle_elapsed", 7).with("smsp__cycles_elapsed.avg.per_second", 3)),
            21);
  EXPECT_EQ(rate(OneLaunch().with(name + ".sum.per_cycle_elapsed", 7).with("gpc__cycles_elapsed.avg.per_second", 3)),
            21);
  EXPECT_EQ(rate(OneLaunch().with(name + ".sum", 7)), std::nullopt);
  EXPECT_DOUBLE_EQ(*rate(OneLaunch().with(name + ".sum", 7).with("gpu__time_duration.sum", 500)), 14e6);
}

TEST(CounterValue, device_memory_has_its_own_clock) {
  OneLaunch launch;
  launch.with("dram__bytes.sum.peak_sustained", 96).with("sm__cycles_elapsed.avg.per_second", 1e9);
  EXPECT_EQ(counter_peak_per_second(launch.trace(), launch.kernel(), kBytes), std::nullopt);
  launch.with("dram__cycles_elapsed.avg.per_second", 6e9);
  EXPECT_EQ(counter_peak_per_second(launch.trace(), launch.kernel(), kBytes), 576e9);
}

TEST(CounterValue, totals_and_peaks_follow_from_each_other) {
  OneLaunch launch;
  launch.with("dram__bytes.sum.per_second", 2e11).with("dram__bytes.avg.pct_of_peak_sustained_elapsed", 40);
  EXPECT_EQ(counter_total(launch.trace(), launch.kernel(), kBytes), std::nullopt);
  EXPECT_DOUBLE_EQ(*counter_peak_per_second(launch.trace(), launch.kernel(), kBytes), 5e11);
  launch.with("gpu__time_duration.sum", 1000);
  EXPECT_DOUBLE_EQ(*counter_total(launch.trace(), launch.kernel(), kBytes), 2e5);
  EXPECT_EQ(counter_percent_of_peak(launch.trace(), launch.kernel(), kBytes), 40);
}

TEST(CounterValue, nothing_is_not_zero) {
  OneLaunch launch;
  launch.with("dram__bytes.sum.per_second", 2e11).with("dram__bytes.avg.pct_of_peak_sustained_elapsed", 0);
  EXPECT_EQ(counter_peak_per_second(launch.trace(), launch.kernel(), kBytes), std::nullopt);
  EXPECT_EQ(duration_s(launch.trace(), launch.kernel()), std::nullopt);
  EXPECT_EQ(first_number(launch.trace(), launch.kernel(), {"a", "b"}), std::nullopt);
}

}  // namespace counter_value_test
}  // namespace sonde
