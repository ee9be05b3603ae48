#include <algorithm>

#include <gtest/gtest.h>

#include "findings/rule.h"
#include "shared/trace_builder.h"
#include "trace/columns.h"

namespace sonde {
namespace several_gpus_rules_test {

constexpr int kSteps = 8;
constexpr int64_t kStepNs = 1'000'000;

/// What one GPU does in a step, in times of the step. Everything is launched at its beginning.
struct Work {
  int64_t computes_from = 20'000;
  int64_t computes_until = 700'000;
  int64_t reduces_from = 700'000;
  std::string_view kernel = "gemm";
  bool reduces = true;
  uint32_t blocks = 100;
};

/// Two processes, a GPU each, whose steps end together.
TraceBuilder two_gpus(const Work (&work)[2]) {
  TraceBuilder b;
  for (int gpu = 0; gpu < 2; ++gpu) {
    const Work& w = work[gpu];
    const ThreadId thread = b.thread(10 + gpu, 10 + gpu);
    const StreamId compute = b.stream(10 + gpu, gpu);
    const StreamId communication = b.stream(10 + gpu, gpu);
    for (int step = 0; step < kSteps; ++step) {
      const int64_t at = (step + 1) * kStepNs;
      b.push_pop(thread, at, at + kStepNs - 1000, "step");
      b.kernel(compute, at + w.computes_from, at + w.computes_until, w.kernel, b.call(thread, at + 1000, at + 3000),
               {w.blocks, 1, 1});
      if (w.reduces) {
        b.kernel(communication, at + w.reduces_from, at + 950'000, "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                 b.call(thread, at + 4000, at + 6000));
      }
      b.call(thread, at + 10'000, at + 960'000, "cudaDeviceSynchronize_v3020");
    }
  }
  return b;
}

Diagnosis diagnosed(const Trace& trace) { return diagnose(Facts(trace)); }

const Finding* finding(const Diagnosis& diagnosis, std::string_view id) {
  const auto found = std::ranges::find(diagnosis.findings, id, &Finding::id);
  return found == diagnosis.findings.end() ? nullptr : &*found;
}

bool abstains(const Diagnosis& diagnosis, std::string_view rule) {
  return std::ranges::find(diagnosis.abstentions, rule, &Abstention::rule) != diagnosis.abstentions.end();
}

std::string text_argument(const Finding& f, std::string_view name) {
  return std::ranges::find(f.arguments, name, &Argument::name)->text;
}

TEST(Straggler, IsWhoEntersLastNotWhoseKernelsTakeLongest) {
  const Trace trace = two_gpus({{}, {.computes_until = 800'000, .reduces_from = 800'000}}).build();
  const Diagnosis diagnosis = diagnosed(trace);
  const Finding* found = finding(diagnosis, "straggler_compute");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(text_argument(*found, "gpu"), "GPU 1");
  const Facts facts(trace);
  EXPECT_EQ(found->ceiling_ns, 100'000 * static_cast<int64_t>(facts.steps->steady.size()));
}

TEST(Straggler, WithMoreWorkAnEvenShareIsTheCeiling) {
  const Trace trace = two_gpus({{}, {.computes_until = 800'000, .reduces_from = 800'000, .blocks = 115}}).build();
  const Diagnosis diagnosis = diagnosed(trace);
  const Finding* found = finding(diagnosis, "straggler_work");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->ceiling_ns, 50'000 * static_cast<int64_t>(Facts(trace).steps->steady.size()));
}

TEST(Straggler, WhoseHostIsLate) {
  const Diagnosis diagnosis =
      diagnosed(two_gpus({{}, {.computes_from = 120'000, .computes_until = 800'000, .reduces_from = 800'000}}).build());
  EXPECT_NE(finding(diagnosis, "straggler_host"), nullptr);
  EXPECT_EQ(finding(diagnosis, "straggler_compute"), nullptr);
}

TEST(Straggler, SaysNothingWhereNobodyIsLate) {
  const Diagnosis diagnosis = diagnosed(two_gpus({{}, {}}).build());
  for (const Finding& f : diagnosis.findings) EXPECT_FALSE(f.id.starts_with("straggler")) << f.id;
}

TEST(Straggler, SaysNothingWhereTheOthersComputeMeanwhile) {
  const Diagnosis diagnosis =
      diagnosed(two_gpus({{.computes_until = 900'000}, {.computes_until = 900'000, .reduces_from = 900'000}}).build());
  for (const Finding& f : diagnosis.findings) EXPECT_FALSE(f.id.starts_with("straggler")) << f.id;
}

TEST(Straggler, AbstainsWithoutACommonClockAndWithoutAllRanks) {
  Trace other_clocks = two_gpus({{}, {.reduces_from = 800'000}}).build();
  other_clocks.log.add(Issue::clocks_not_aligned, "rank 1");
  EXPECT_TRUE(abstains(diagnosed(other_clocks), "straggler"));
  Trace ranks_missing = two_gpus({{}, {.reduces_from = 800'000}}).build();
  ranks_missing.ranks.front().rank = 0;
  ranks_missing.ranks.front().world_size = 8;
  const Diagnosis diagnosis = diagnosed(ranks_missing);
  EXPECT_TRUE(abstains(diagnosis, "straggler"));
  EXPECT_TRUE(abstains(diagnosis, "gpu_imbalance"));
}

TEST(Straggler, AbstainsWhereTheClockIsLate) {
  Trace trace = two_gpus({{}, {}}).build();
  trace.ranks.resize(2);
  trace.processes[1].rank = 1;
  for (Row row = 0; row < row_count(trace.kernels); ++row) {
    if (trace.streams[trace.kernels.stream[row]].ordinal == 0) continue;
    trace.kernels.start[row] += 100'000;
    trace.kernels.end[row] += 100'000;
  }
  EXPECT_TRUE(abstains(diagnosed(trace), "straggler"));
}

TEST(ExposedCommunication, OfOneCollectiveBehindTheComputingIsNotToBeHidden) {
  const Diagnosis diagnosis = diagnosed(two_gpus({{}, {}}).build());
  EXPECT_EQ(finding(diagnosis, "exposed_communication"), nullptr);
  const Finding* bound = finding(diagnosis, "serial_communication");
  ASSERT_NE(bound, nullptr);
  EXPECT_FALSE(bound->reachable);
}

TEST(ExposedCommunication, OfSeveralAllButTheLastAre) {
  TraceBuilder b;
  for (int gpu = 0; gpu < 2; ++gpu) {
    const ThreadId thread = b.thread(10 + gpu, 10 + gpu);
    const StreamId compute = b.stream(10 + gpu, gpu);
    for (int step = 0; step < kSteps; ++step) {
      const int64_t at = (step + 1) * kStepNs;
      b.push_pop(thread, at, at + kStepNs - 1000, "step");
      b.kernel(compute, at + 20'000, at + 540'000, "gemm", b.call(thread, at + 1000, at + 3000));
      for (int64_t i = 0; i < 4; ++i) {
        b.kernel(compute, at + 550'000 + i * 100'000, at + 650'000 + i * 100'000, "ncclDevKernel_AllReduce_Sum_f32",
                 b.call(thread, at + 4000 + i, at + 5000 + i));
      }
      b.call(thread, at + 10'000, at + 960'000, "cudaDeviceSynchronize_v3020");
    }
  }
  const Trace trace = b.build();
  const Diagnosis diagnosis = diagnosed(trace);
  const Finding* found = finding(diagnosis, "exposed_communication");
  ASSERT_NE(found, nullptr);
  const auto steps = static_cast<int64_t>(Facts(trace).steps->steady.size());
  EXPECT_NEAR(static_cast<double>(found->ceiling_ns), static_cast<double>(steps * 300'000), 20'000.0);
}

TEST(ExposedCommunication, WithoutACounterpartIsNotToldFromWaiting) {
  const Diagnosis diagnosis = diagnosed(two_gpus({{}, {.reduces = false}}).build());
  EXPECT_NE(finding(diagnosis, "unmatched_communication"), nullptr);
  EXPECT_EQ(finding(diagnosis, "communication_or_waiting"), nullptr);
  EXPECT_EQ(finding(diagnosis, "serial_communication"), nullptr);
}

TEST(ExposedCommunication, OfARankWithoutTheOthersAsksForTheirFiles) {
  Trace trace = two_gpus({{}, {.reduces = false}}).build();
  trace.ranks.front().rank = 0;
  trace.ranks.front().world_size = 4;
  const Diagnosis diagnosis = diagnosed(trace);
  const Finding* found = finding(diagnosis, "communication_or_waiting");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->reachable);  // a large part of the time is not listed behind all else
}

TEST(GpuImbalance, OneGpuHasMoreOfTheSameWork) {
  const Trace trace =
      two_gpus({{.computes_until = 400'000, .reduces = false}, {.computes_until = 900'000, .reduces = false}}).build();
  const Diagnosis diagnosis = diagnosed(trace);
  const Finding* found = finding(diagnosis, "gpu_imbalance");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(text_argument(*found, "most"), "GPU 1");
  EXPECT_EQ(found->ceiling_ns, 250'000 * static_cast<int64_t>(Facts(trace).steps->steady.size()));
}

TEST(GpuImbalance, OtherWorkIsNoShareOfTheSame) {
  const Diagnosis diagnosis = diagnosed(two_gpus({{.computes_until = 400'000, .reduces = false},
                                                  {.computes_until = 900'000, .kernel = "attention", .reduces = false}})
                                            .build());
  EXPECT_EQ(finding(diagnosis, "gpu_imbalance"), nullptr);
}

TEST(GpuImbalance, WhereGpusMeetItIsTheStragglers) {
  const Diagnosis diagnosis = diagnosed(two_gpus({{.computes_until = 400'000, .reduces_from = 400'000},
                                                  {.computes_until = 900'000, .reduces_from = 900'000}})
                                            .build());
  EXPECT_EQ(finding(diagnosis, "gpu_imbalance"), nullptr);
  EXPECT_NE(finding(diagnosis, "straggler_compute"), nullptr);
}

}  // namespace several_gpus_rules_test
}  // namespace sonde
