#include "report/kernel_pages/source_rows.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace sonde {
namespace source_rows_test {

Metric counted(Trace& trace, std::string_view name, std::vector<std::pair<uint64_t, uint64_t>> parts) {
  Metric metric;
  metric.name = trace.names.intern(name);
  metric.value = MetricValue::integer(0);
  for (const auto& [address, value] : parts) {
    metric.instances.push_back({MetricValue::integer(address), MetricValue::integer(value)});
  }
  return metric;
}

/// A kernel of three instructions at 0x1000 whose section has columns of every kind.
Trace report() {
  Trace trace;
  const auto name = [&](std::string_view text) { return trace.names.intern(text); };
  ProfileSection section;
  section.source = {{name("group:reasons"), name("All Samples")},
                    {name("inst_executed"), name("Executed")},
                    {name("memory_type"), name("Address Space")},
                    {name("l1tex__cycles_active.sum"), name("L1 Active Cycles")}};
  trace.profile_sections.push_back(section);
  trace.device_functions.push_back({name("_Z1fPd"), 0x1000, 48, {}});
  KernelProfile kernel;
  kernel.name = name("f(double*)");
  kernel.function = 0;
  kernel.sections = {0};
  Metric group;
  group.name = name("group:reasons");
  group.value = MetricValue::text(name("stalled_a,stalled_b"));
  kernel.metrics = {group,
                    counted(trace, "stalled_a", {{0x1000, 2}, {0x1020, 1}}),
                    counted(trace, "stalled_b", {{0x1000, 5}}),
                    counted(trace, "inst_executed", {{0x1000, 64}, {0x1010, 64}}),
                    counted(trace, "memory_type", {{0x1010, 4}, {0x1020, 9}}),
                    counted(trace, "l1tex__cycles_active.sum", {})};
  std::ranges::stable_sort(kernel.metrics, {}, &Metric::name);
  trace.kernel_profiles.push_back(std::move(kernel));
  return trace;
}

TEST(SourceRows, HasTheColumnsThatTheReportNames) {
  const Trace trace = report();
  const KernelPage page{.trace = &trace, .kernels = {}, .sections = {}, .render = {}};
  const SourceRows source = source_rows(page, trace.kernel_profiles.front());
  EXPECT_EQ(source.kernel, "f(double *)");
  EXPECT_EQ(source.titles, (std::vector<std::string>{"Address", "Source", "All Samples", "Executed", "Address Space"}));
  EXPECT_EQ(source.rows,
            (std::vector<std::vector<std::string>>{
                {"0x1000", "", "7", "64", "-"}, {"0x1010", "", "0", "64", "Global"}, {"0x1020", "", "1", "0", "9"}}));
}

TEST(SourceRows, IsEmptyWithoutTheCode) {
  Trace trace = report();
  trace.kernel_profiles.front().function = kNone;
  const KernelPage page{.trace = &trace, .kernels = {}, .sections = {}, .render = {}};
  EXPECT_TRUE(source_rows(page, trace.kernel_profiles.front()).rows.empty());
}

}  // namespace source_rows_test
}  // namespace sonde
