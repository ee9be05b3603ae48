#include "importers/ncu_csv/ncu_csv.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "importers/files/csv_records.h"

namespace sonde {
namespace ncu_csv_test {

constexpr std::string_view kDetails =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"
)";

/// A row of the details page: launch, then section, metric, unit, value and what may follow.
std::string row(int id, std::string_view rest) {
  return fmt::format(
             R"row("{}","77","app","host","void ns::fill<4>(int)","1","7","(256, 2, 1)","(64, 1, 3)","0","8.6",{})row",
             id, rest) +
         "\n";
}

Trace read(const std::string& text) {
  Trace trace;
  ImportRequest request;
  request.fields = Fields::all();
  const Status status = ncu_csv::read_text(text, "folder/run.csv", request, trace);
  EXPECT_TRUE(status) << (status ? "" : status.error().message);
  return trace;
}

Trace read_rows(std::initializer_list<std::string_view> rows) {
  std::string text(kDetails);
  for (const std::string_view rest : rows) text += row(0, rest);
  return read(text);
}

std::optional<double> number(const Trace& trace, std::string_view metric, size_t kernel = 0) {
  return metric_number(trace, trace.kernel_profiles.at(kernel), metric);
}

int64_t count_of(const Trace& trace, Issue issue) {
  int64_t count = 0;
  for (const auto& entry : trace.log.entries()) count += entry.issue == issue ? entry.count : 0;
  return count;
}

TEST(NcuCsv, TheLaunchStandsInEachRow) {
  const Trace trace = read_rows({R"("Launch Statistics","Grid Size","","192")"});
  ASSERT_EQ(trace.kernel_profiles.size(), 1);
  const KernelProfile& kernel = trace.kernel_profiles[0];
  EXPECT_EQ(trace.name(kernel.name), "void ns::fill<4>(int)");
  EXPECT_EQ(trace.name(kernel.function_name), "fill");
  EXPECT_EQ(kernel.block, (Dim3{256, 2, 1}));
  EXPECT_EQ(kernel.grid, (Dim3{64, 1, 3}));
  EXPECT_EQ(kernel.process, 77);
  EXPECT_EQ(kernel.stream, 7);
  EXPECT_EQ(trace.devices.at(kernel.device).compute_major, 8);
  EXPECT_EQ(trace.devices.at(kernel.device).compute_minor, 6);
}

TEST(NcuCsv, ValuesComeInBaseUnits) {
  const Trace trace = read_rows({R"("GPU Speed Of Light Throughput","Duration","us","6.75")",
                                 R"("Memory Workload Analysis","Memory Throughput","Gbyte/s","1,345.14")",
                                 R"("GPU Speed Of Light Throughput","SM Frequency","cycle/nsecond","1.5")",
                                 R"("Launch Statistics","Threads","thread","1,048,576")"});
  EXPECT_DOUBLE_EQ(*number(trace, "gpu__time_duration.sum"), 6750);
  EXPECT_DOUBLE_EQ(*number(trace, "dram__bytes.sum.per_second"), 1345.14e9);
  EXPECT_DOUBLE_EQ(*number(trace, "gpc__cycles_elapsed.avg.per_second"), 1.5e9);
  EXPECT_EQ(find_metric(trace, trace.kernel_profiles[0], "launch__thread_count")->value.exact(), 1048576);
  EXPECT_EQ(count_of(trace, Issue::rounded_value), 3);
}

TEST(NcuCsv, WhatWasNotMeasuredIsAbsent) {
  const Trace trace = read_rows({R"("Command line profiler metrics","dram__bytes.sum","","n/a")",
                                 R"("Launch Statistics","Function Cache Configuration","","CachePreferNone")"});
  const KernelProfile& kernel = trace.kernel_profiles[0];
  ASSERT_NE(find_metric(trace, kernel, "dram__bytes.sum"), nullptr);
  EXPECT_TRUE(find_metric(trace, kernel, "dram__bytes.sum")->value.is_absent());
  EXPECT_EQ(trace.name(find_metric(trace, kernel, "launch__func_cache_config")->value.name()), "CachePreferNone");
}

TEST(NcuCsv, UnknownLabelsAreKeptAndCounted) {
  const Trace trace = read_rows({R"("Occupancy","Mood","%","50")", R"("Weather","Rain","","1")"});
  EXPECT_EQ(number(trace, "label:Occupancy/Mood"), 50);
  EXPECT_EQ(number(trace, "label:Weather/Rain"), 1);
  EXPECT_EQ(count_of(trace, Issue::unknown_label), 2);
}

TEST(NcuCsv, RulesKeepKindTextAndScope) {
  const Trace trace = read_rows({R"("Occupancy","","","","Limits","OPT","say ""more""","local","12.5")",
                                 R"("Occupancy","","","","Limits","INF","second","","")",
                                 R"("LaunchStats","","","","Shape","WRN","third","global","3")"});
  const auto& rules = trace.kernel_profiles[0].rules;
  ASSERT_EQ(rules.size(), 2);
  ASSERT_EQ(rules[0].texts.size(), 2);
  EXPECT_EQ(trace.name(rules[0].texts[0].text), R"(say "more")");
  EXPECT_EQ(rules[0].texts[0].kind, AdviceKind::optimization);
  EXPECT_EQ(rules[0].texts[1].kind, AdviceKind::ok);
  ASSERT_EQ(rules[0].speedups.size(), 1);
  EXPECT_EQ(rules[0].speedups[0].scope, EstimatedSpeedup::Scope::local);
  EXPECT_EQ(rules[0].speedups[0].percent, 12.5);
  EXPECT_EQ(rules[1].speedups[0].scope, EstimatedSpeedup::Scope::global);
}

TEST(NcuCsv, SectionsAreThoseOfTheTool) {
  const Trace trace = read_rows(
      {R"("Occupancy","Theoretical Occupancy","%","100")", R"("Launch Statistics","Waves Per SM","","6.40")"});
  ASSERT_EQ(trace.profile_sections.size(), 2);
  EXPECT_EQ(trace.name(trace.profile_sections[1].id), "LaunchStats");
  EXPECT_EQ(trace.profile_sections[1].order, 70);
  EXPECT_EQ(trace.kernel_profiles[0].sections, (std::vector<uint32_t>{0, 1}));
}

TEST(NcuCsv, TheRawPageHasAColumnForEachMetric) {
  const Trace trace = read(R"csv("ID","Process ID","Kernel Name","dram__bytes.sum","smsp__pcsamp_sample_count"
"","","","Mbyte",""
"0","1","a","1.50","8 (5; 3)"
"1","1","b","0","n/a"
)csv");
  ASSERT_EQ(trace.kernel_profiles.size(), 2);
  EXPECT_DOUBLE_EQ(*number(trace, "dram__bytes.sum"), 1.5e6);
  const Metric* samples = find_metric(trace, trace.kernel_profiles[0], "smsp__pcsamp_sample_count");
  EXPECT_EQ(samples->value.exact(), 8);
  ASSERT_EQ(samples->instances.size(), 2);
  EXPECT_EQ(samples->instances[1].value.exact(), 3);
  EXPECT_EQ(number(trace, "dram__bytes.sum", 1), 0);
}

TEST(NcuCsv, ASecondTableCountsItsLaunchesAnew) {
  const std::string table = std::string(kDetails) + row(0, R"("Launch Statistics","Grid Size","","1")");
  const Trace trace = read("==PROF== Connected\n" + table + "the program's own line\n" + table);
  EXPECT_EQ(trace.kernel_profiles.size(), 2);
}

TEST(NcuCsv, ATextThatBreaksOffIsReadAsFarAsItGoes) {
  const std::string text = std::string(kDetails) + row(0, R"("Launch Statistics","Grid Size","","1")") + "\"1\",\"77";
  const Trace trace = read(text);
  EXPECT_EQ(trace.kernel_profiles.size(), 1);
  EXPECT_EQ(count_of(trace, Issue::truncated), 1);
}

TEST(CsvRecords, StandAmongOtherLines) {
  CsvRecords records("noise\n\"a\",\"b \"\"c\"\"\",\n\"no\" record\nmore noise\n\"two\nlines\",3\r\n");
  std::vector<std::string> fields;
  ASSERT_TRUE(records.next(fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"a", "b \"c\"", ""}));
  ASSERT_TRUE(records.next(fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"two\nlines", "3"}));
  EXPECT_FALSE(records.next(fields));
  EXPECT_EQ(records.malformed(), 1);
  EXPECT_FALSE(records.truncated());
}

}  // namespace ncu_csv_test
}  // namespace sonde
