#include "metrics/quantities.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "metrics/catalogue.h"

namespace sonde {
namespace quantities_test {

/// A trace with one kernel that has these metrics, on a GPU of compute capability `cc` (0: not told).
class OneKernel {
 public:
  explicit OneKernel(int cc = 0) {
    if (cc != 0) {
      Device device;
      device.compute_major = cc / 10;
      device.compute_minor = cc % 10;
      trace_.devices.push_back(device);
      kernel_.device = 0;
    }
  }
  OneKernel& with(std::string_view name, double value) {
    kernel_.metrics.push_back({trace_.names.intern(name), MetricValue::real(value), {}});
    return *this;
  }
  [[nodiscard]] QuantityResult ask(std::string_view quantity) {
    std::ranges::sort(kernel_.metrics, {}, &Metric::name);
    return resolve(**find_quantity(quantity), trace_, kernel_);
  }
  [[nodiscard]] std::string why_absent(std::string_view metric) const {
    return reason_of_absence(metric, trace_, kernel_);
  }

 private:
  Trace trace_;
  KernelProfile kernel_;
};

TEST(Quantities, TheMetricItselfGoesBeforeFormulas) {
  OneKernel kernel(86);
  kernel.with("dram__bytes.sum", 100).with("dram__bytes_read.sum", 1).with("dram__bytes_write.sum", 2);
  EXPECT_EQ(kernel.ask("dram_bytes")->value, 100);
}

TEST(Quantities, AreComputedWhereOnlyPartsAreThere) {
  const auto sum = OneKernel(86).with("dram__bytes_read.sum", 1).with("dram__bytes_write.sum", 2).ask("dram_bytes");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->value, 3);
  EXPECT_EQ(sum->variant->a, "dram__bytes_read.sum");
  EXPECT_EQ(sum->variant->b, "dram__bytes_write.sum");
  const auto rate =
      OneKernel(86).with("dram__bytes.sum", 1000).with("gpu__time_duration.sum", 500).ask("dram_throughput");
  EXPECT_EQ(rate->value, 2e9);
  const auto bytes =
      OneKernel().with("dram__bytes.sum.per_second", 2e9).with("gpu__time_duration.sum", 500).ask("dram_bytes");
  EXPECT_DOUBLE_EQ(bytes->value, 1000);
  const auto excess = OneKernel()
                          .with("memory_l2_theoretical_sectors_global", 10)
                          .with("memory_l2_theoretical_sectors_global_ideal", 4)
                          .ask("excessive_global_sectors");
  EXPECT_EQ(excess->value, 6);
  EXPECT_EQ(OneKernel()
                .with("smsp__thread_inst_executed_per_inst_executed.ratio", 16)
                .ask("warp_execution_efficiency")
                ->value,
            50);
}

TEST(Quantities, NewNamesOfABlackwellGpuAreFound) {
  EXPECT_EQ(OneKernel(120).with("dram__bytes_op_read.sum", 7).ask("dram_read_bytes")->value, 7);
  EXPECT_EQ(OneKernel(100)
                .with("sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_active", 80)
                .ask("tensor_utilization")
                ->value,
            80);
}

TEST(Quantities, SayWhyTheyAreMissing) {
  const auto none = OneKernel(86).ask("dram_bytes");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().why, MissingQuantity::Why::not_collected);
  EXPECT_EQ(none.error().reason(), "not collected (ncu --metrics dram__bytes.sum)");
  for (const int cc : {87, 110, 121}) {
    const auto shared = OneKernel(cc).ask("dram_bytes");
    EXPECT_EQ(shared.error().why, MissingQuantity::Why::not_on_this_gpu);
  }
  EXPECT_EQ(OneKernel(121).ask("dram_throughput").error().reason(), "not on CC 12.1");
  EXPECT_EQ(OneKernel(121).ask("l2_hit_rate").error().why, MissingQuantity::Why::not_collected);
}

TEST(Quantities, AMetricIsMissingWhereItsGpuLacksIt) {
  EXPECT_EQ(OneKernel(121).why_absent("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"), "not on CC 12.1");
  EXPECT_EQ(OneKernel(86).why_absent("dram__bytes_op_read.sum"), "not on CC 8.6");
  EXPECT_EQ(OneKernel(100).why_absent("dram__bytes_op_read.sum"), "not collected");
  // Measured everywhere; that one of its formulas is about device memory does not matter.
  EXPECT_EQ(OneKernel(121).why_absent("gpu__time_duration.sum"), "not collected");
  EXPECT_EQ(OneKernel(121).why_absent("launch__stack_size"), "not collected");
  EXPECT_EQ(OneKernel().why_absent("dram__bytes.sum"), "not collected");
}

TEST(Quantities, NothingIsDividedByZero) {
  EXPECT_FALSE(OneKernel().with("dram__bytes.sum", 0).with("gpu__time_duration.sum", 0).ask("dram_throughput"));
}

TEST(Quantities, OldNamesLeadToThem) {
  EXPECT_EQ((*find_quantity("gld_throughput"))->name, "global_load_throughput");
  EXPECT_EQ((*find_quantity("stall_memory_dependency"))->name, "stall_long_scoreboard");
  EXPECT_EQ(find_quantity("sm_eficiency").error().message,
            "unknown quantity 'sm_eficiency', did you mean 'sm_efficiency'?");
}

TEST(Quantities, NameOnlyMetricsThatTheCatalogueKnows) {
  for (const Quantity& quantity : quantities()) {
    const auto variants = variants_of(quantity);
    EXPECT_FALSE(variants.empty()) << quantity.name;
    for (const QuantityVariant& v : variants) {
      EXPECT_EQ(v.quantity, quantity.name);
      EXPECT_TRUE(describe_metric(v.a)) << v.a;
      EXPECT_EQ(v.b.empty(), v.form == VariantForm::value) << v.a;
      if (!v.b.empty()) {
        EXPECT_TRUE(describe_metric(v.b)) << v.b;
      }
    }
  }
}

}  // namespace quantities_test
}  // namespace sonde
