#include "analyses/measured/source_places.h"

#include <utility>

#include <gtest/gtest.h>

namespace sonde {
namespace source_places_test {

/// A kernel at 0x1000: two lines, of which the second was sampled more and executed as often.
Trace report(bool with_lines) {
  Trace trace;
  DeviceFunction function;
  function.address = 0x1000;
  const NameId file = trace.names.intern("sum.cu");
  if (with_lines) function.lines = {{0, file, 7}, {0x10, file, 8}};
  trace.device_functions.push_back(function);
  KernelProfile kernel;
  kernel.function = 0;
  Metric samples;
  samples.name = trace.names.intern("samples");
  for (const auto& [address, value] : {std::pair{0x1000U, 1U}, {0x1010U, 2U}, {0x1020U, 1U}}) {
    samples.instances.push_back({MetricValue::integer(address), MetricValue::integer(value)});
  }
  kernel.metrics = {samples};
  trace.kernel_profiles.push_back(std::move(kernel));
  return trace;
}

TEST(HottestLine, SumsUpTheInstructionsOfALine) {
  const Trace trace = report(true);
  const auto line = hottest_line(trace, trace.kernel_profiles.front(), "samples");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->place, "sum.cu:8");
  EXPECT_EQ(line->percent, 75);
}

TEST(HottestLine, NeedsLinesAndCounts) {
  const Trace trace = report(false);
  EXPECT_FALSE(hottest_line(trace, trace.kernel_profiles.front(), "samples"));
  const Trace other = report(true);
  EXPECT_FALSE(hottest_line(other, other.kernel_profiles.front(), "never counted"));
}

}  // namespace source_places_test
}  // namespace sonde
