#include "metrics/sections.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "metrics/catalogue.h"

namespace sonde {
namespace sections_test {

TEST(Sections, AreFoundByIdAndTitle) {
  ASSERT_NE(find_section("LaunchStats"), nullptr);
  EXPECT_EQ(find_section("LaunchStats"), find_section("Launch Statistics"));
  EXPECT_EQ(find_section("GPU Speed Of Light")->id, "SpeedOfLight");
  EXPECT_EQ(find_section("Weather"), nullptr);
}

TEST(Sections, UnknownIdsGetTheNearest) {
  EXPECT_TRUE(section_by_id("Occupancy"));
  EXPECT_EQ(section_by_id("Ocupancy").error().message, "unknown section 'Ocupancy', did you mean 'Occupancy'?");
}

TEST(Sections, TheDefaultSetHasFour) {
  const auto basic = std::ranges::count_if(known_sections(), [](const auto& s) { return collected_by(s, "basic"); });
  EXPECT_EQ(basic, 4);
  EXPECT_FALSE(collected_by(*find_section("C2CLink"), "full"));
}

TEST(Sections, StandInTheOrderInWhichTheyAreShown) {
  EXPECT_TRUE(std::ranges::is_sorted(known_sections(), {}, &SectionInfo::order));
  EXPECT_EQ(find_section("LaunchStats")->order, 70);
}

TEST(Sections, TheSameLabelMeansWhatItsSectionSays) {
  EXPECT_EQ(metric_of_label("GPU Speed Of Light Throughput", "Memory Throughput"),
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed");
  EXPECT_EQ(metric_of_label("Memory Workload Analysis", "Memory Throughput"), "dram__bytes.sum.per_second");
  EXPECT_EQ(metric_of_label("GPU Speed Of Light", "SM [%]"), "sm__throughput.avg.pct_of_peak_sustained_elapsed");
  EXPECT_EQ(metric_of_label("Occupancy", "Mood"), "");
}

TEST(Sections, ALabelInAnotherUnitMeansAnotherMetric) {
  EXPECT_EQ(metric_of_label("PM Sampling", "Maximum Sampling Interval", "cycle"),
            "profiler__pmsampler_interval_cycles");
  EXPECT_EQ(metric_of_label("PM Sampling", "Maximum Sampling Interval", "ns"), "profiler__pmsampler_interval_time");
  EXPECT_EQ(metric_of_label("Occupancy", "Achieved Occupancy", "byte"), "");
}

TEST(Sections, NameOnlyMetricsThatTheCatalogueKnows) {
  for (const SectionInfo& section : known_sections()) {
    for (const std::string_view metric : metrics_of_section(section.id)) {
      EXPECT_TRUE(describe_metric(metric)) << section.id << " " << metric;
    }
  }
  for (const SectionLabel& label : section_labels()) EXPECT_NE(find_section(label.section), nullptr) << label.section;
}

}  // namespace sections_test
}  // namespace sonde
