#include <gtest/gtest.h>

#include "gate/record/conditions_of.h"
#include "gate/record/recorded_kinds.h"
#include "gate/record/versions.h"
#include "shared/trace_builder.h"

namespace sonde::gate {
namespace gate_conditions_test {

using Kinds = std::set<std::string>;

TEST(GateConditions, every_row_is_found_by_its_name) {
  EXPECT_EQ(condition_infos().size(), 17);
  EXPECT_EQ(find_condition("driver")->forbids, Forbids::timed);
  EXPECT_EQ(find_condition("gpu")->forbids, Forbids::everything);
  EXPECT_EQ(find_condition("host")->forbids, Forbids::nothing);
  EXPECT_EQ(find_condition("drivers"), nullptr);
}

TEST(GateConditions, versions_are_one_notation) {
  EXPECT_EQ(driver_version("52510517"), "525.105.17");
  EXPECT_EQ(driver_version("55005415"), "550.54.15");
  EXPECT_EQ(driver_version("53508605"), "535.86.05");
  EXPECT_EQ(driver_version("550.54.15"), "550.54.15");
  EXPECT_EQ(driver_version("595.84"), "595.84");
  EXPECT_EQ(driver_version(""), "");
  EXPECT_EQ(driver_version("99999999999999999999"), "99999999999999999999");
  EXPECT_EQ(cuda_version("12040"), "12.4");
  EXPECT_EQ(cuda_version("13000"), "13.0");
  EXPECT_EQ(cuda_version("11.2"), "11.2");
}

TEST(GateConditions, what_was_recorded_by_the_options_of_an_export) {
  Rank rank;
  rank.capture = {{"CAPTURE_EVENT_TYPE", "OSRuntime"},
                  {"CAPTURE_EVENT_TYPE", "Cuda"},
                  {"CAPTURE_EVENT_TYPE", "OpenACC"},
                  {"PROCESS_0:COLLECT_GPU_MEMORY_USAGE", "true"},
                  {"PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE", "Node"},
                  {"LINUX_PERF_OPTIONS:COLLECT_CPU_CTXSW_TRACE", "false"}};
  rank.holds = {{"NVTX_EVENTS", 5}};
  EXPECT_EQ(recorded_kinds(rank), (Kinds{"cuda", "cuda-memory-usage", "graph nodes", "openacc", "osrt"}));
}

TEST(GateConditions, what_was_recorded_by_the_command_line) {
  Rank rank;
  rank.capture = {{"COMMAND_LINE", "nsys profile -t cuda,nvtx --cuda-graph-trace=node:host-only -o run ./a.out"}};
  EXPECT_EQ(recorded_kinds(rank), (Kinds{"cuda", "graph nodes", "nvtx"}));
  rank.capture = {{"COMMAND_LINE", "nsys profile --trace=none --gpu-metrics-devices=all ./a.out"}};
  rank.holds = {{"SCHED_EVENTS", 5}, {"OSRT_API", 5}};
  EXPECT_EQ(recorded_kinds(rank), (Kinds{"cpuctxsw", "gpu-metrics"}));
  rank.capture = {{"COMMAND_LINE", "nsys profile ./a.out"}};
  rank.holds = {};
  EXPECT_EQ(recorded_kinds(rank), (Kinds{"cuda", "nvtx", "opengl", "osrt"}));
}

TEST(GateConditions, what_was_recorded_by_what_is_there) {
  Rank rank;
  rank.holds = {{"CUPTI_ACTIVITY_KIND_MEMCPY", 5}, {"NVTX_EVENTS", 0}, {"OSRT_API", 1}};
  EXPECT_EQ(recorded_kinds(rank), (Kinds{"cuda", "osrt"}));
  Rank torch;
  torch.holds = {{"cpu_op", 5}, {"kernel", 7}, {"ac2g", 7}};
  torch.capture = {{"with_stack", "1"}, {"record_shapes", "0"}};
  EXPECT_EQ(recorded_kinds(torch), (Kinds{"cpu", "cuda", "with_stack"}));
}

TEST(GateConditions, options_of_a_command_line) {
  EXPECT_EQ(option_value("ncu --clock-control none a", "clock-control"), "none");
  EXPECT_EQ(option_value("ncu --clock-control=none a", "clock-control"), "none");
  EXPECT_EQ(option_value("ncu --clock-control-x=none a", "clock-control"), "");
  EXPECT_EQ(option_value("nsys -t cuda", "trace", "t"), "cuda");
  EXPECT_EQ(option_value("nsys -t", "trace", "t"), "");
  EXPECT_EQ(option_value("", "trace", "t"), "");
}

/// A run on a GPU of this name, and what its file tells beside.
Conditions conditions(std::string_view gpu, std::vector<std::pair<std::string, std::string>> told) {
  TraceBuilder b;
  b.device().name = gpu;
  b.kernel(b.stream(1), 0, 10, "gemm", 0);
  Trace trace = b.build();
  trace.ranks.front().capture = std::move(told);
  return conditions_of(trace);
}

TEST(GateConditions, a_part_of_a_gpu_is_not_the_gpu) {
  const Conditions whole = conditions("NVIDIA A100-SXM4-40GB", {});
  EXPECT_EQ(whole.at("gpu"), "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(whole.at("mig"), "none");
  const Conditions part = conditions("NVIDIA A100-SXM4-40GB MIG 1g.5gb", {});
  EXPECT_EQ(part.at("gpu"), whole.at("gpu"));
  EXPECT_EQ(part.at("mig"), "1g.5gb");
}

TEST(GateConditions, what_was_taken_out_of_a_file_is_not_known) {
  const Conditions c = conditions("", {{"Hostname", "(scrubbed)"}, {"CpuDescription", "unknown"}});
  EXPECT_FALSE(c.contains("host"));
  EXPECT_FALSE(c.contains("cpu"));
  EXPECT_FALSE(c.contains("gpu"));
  EXPECT_FALSE(c.contains("driver"));
  EXPECT_EQ(c.at("ranks"), "1");
  EXPECT_EQ(c.at("kind"), "timeline");
}

TEST(GateConditions, a_processor_is_its_name_alone) {
  const Conditions c = conditions("A100", {{"target processor", "Intel Xeon 8260\nstepping\t: 7\ncpu MHz\t\t: 3681"}});
  EXPECT_EQ(c.at("cpu"), "Intel Xeon 8260");
}

}  // namespace gate_conditions_test
}  // namespace sonde::gate
