#include <functional>

#include <gtest/gtest.h>

#include "shared/ask_rule.h"
#include "shared/trace_builder.h"
#include "trace/columns.h"

/// Rules on GPU time outside of kernels, and on what the GPU waits for: memsets, copies forth and back, input.
namespace sonde {
namespace gpu_work_rules_test {

constexpr int64_t kStep = 10'000'000;
constexpr int kSteps = 12;

std::string ids_of(const Diagnosis& diagnosis) {
  std::string text;
  for (const Finding& f : diagnosis.findings) text += f.id + ' ';
  return text;
}

/// Steps at the ends of the run are not judged: their lengths are not known.
constexpr int kJudged = 9;

double argument_of(const Finding& finding, std::string_view name) {
  return std::ranges::find(finding.arguments, name, &Argument::name)->number;
}

/// One thread and one stream. Each step launches what `step` puts into it, and waits for the GPU at its end.
class Program {
 public:
  Program() : thread_(builder_.thread(1, 1)), stream_(builder_.stream(1)) {}

  void kernel(int64_t start, int64_t end) {
    builder_.kernel(stream_, start, end, "work", builder_.call(thread_, start - 5'000, start - 2'000));
  }
  void set(int64_t start, int64_t end, int64_t bytes) {
    const uint32_t call = builder_.call(thread_, start - 5'000, start - 2'000, "cudaMemsetAsync_v3020");
    builder_.set(stream_, start, end, call, bytes);
  }
  /// A blocking copy.
  void copy(int64_t start, int64_t end, CopyKind kind, int64_t bytes) {
    const uint32_t call = builder_.call(thread_, start - 5'000, end + 1'000, "cudaMemcpy_v3020");
    builder_.host_copy(stream_, start, end, kind, MemoryKind::pageable, bytes, call);
  }
  void up(int64_t start, int64_t end, int64_t bytes) { copy(start, end, CopyKind::host_to_device, bytes); }
  void down(int64_t start, int64_t end, int64_t bytes) { copy(start, end, CopyKind::device_to_host, bytes); }

  void each_step(const std::function<void(int64_t)>& f) {
    for (int i = 0; i < kSteps; ++i) f((i + 1) * kStep);
  }
  Diagnosis ask(std::string_view name) { return ask_rule(name, builder_.build()); }

  TraceBuilder builder_;
  ThreadId thread_;
  StreamId stream_;
};

/// In each step of 10 ms, memory is cleared for 7 ms, and a kernel runs for 2.9 ms.
Program clearing_program(int64_t bytes) {
  Program program;
  program.each_step([&](int64_t t) {
    program.set(t + 10'000, t + 7'010'000, bytes);
    program.kernel(t + 7'020'000, t + 9'920'000);
  });
  program.builder_.call(program.thread_, kStep * kSteps + 8'000'000, kStep * (kSteps + 1), "cudaDeviceSynchronize");
  return program;
}

TEST(MemsetTime, IsAFinding) {
  const Diagnosis diagnosis = clearing_program(7'000'000'000).ask("memset_time");
  ASSERT_EQ(ids_of(diagnosis), "memset_time ");
  const Finding& finding = diagnosis.findings.front();
  EXPECT_GE(argument_of(finding, "time"), 7e6 * kJudged);
  EXPECT_EQ(argument_of(finding, "bytes"), 1e3 * argument_of(finding, "time"));
  EXPECT_EQ(argument_of(finding, "rate"), 1000);
  EXPECT_EQ(std::ranges::find(finding.arguments, "next", &Argument::name)->text, "work<float> 100 %");
  EXPECT_LE(finding.ceiling_ns, 7'000'000 * kSteps);
  EXPECT_GT(finding.ceiling_ns, 1'000'000);
}

TEST(MemsetTime, WithoutSizesThereIsNoRate) {
  EXPECT_EQ(ids_of(clearing_program(kUnknown).ask("memset_time")), "memset_time_unsized ");
}

TEST(MemsetTime, ShortOnesAreNone) {
  Program program;
  program.each_step([&](int64_t t) {
    program.set(t + 10'000, t + 15'000, 4096);
    program.kernel(t + 20'000, t + 9'900'000);
  });
  EXPECT_EQ(ids_of(program.ask("memset_time")), "");
}

/// 64 MiB go to the GPU for 3 ms, a kernel runs for 1 ms, `back` bytes come back for 3 ms.
Program round_trips(int64_t host_ns, int64_t back = 64 << 20) {
  Program program;
  for (int64_t i = 0, t = 1'000'000; i < kSteps; ++i, t += 7'100'000 + host_ns) {
    program.up(t, t + 3'000'000, 64 << 20);
    program.kernel(t + 3'010'000, t + 4'010'000);
    program.down(t + 4'020'000, t + 7'020'000, back);
  }
  return program;
}

TEST(CopyRoundTrip, AHostWithoutTimeHasWrittenNothing) {
  const Diagnosis diagnosis = round_trips(20'000).ask("copy_round_trip");
  ASSERT_EQ(ids_of(diagnosis), "copy_round_trip ");
  const Finding& finding = diagnosis.findings.front();
  EXPECT_EQ(argument_of(finding, "count"), kJudged);
  EXPECT_EQ(argument_of(finding, "time"), 6e6 * kJudged);
  EXPECT_EQ(argument_of(finding, "work"), 1e6 * kJudged);
  EXPECT_NEAR(static_cast<double>(finding.ceiling_ns), 6e6 * kJudged, 1e6);
}

TEST(CopyRoundTrip, AHostWithTimeMayHaveWrittenNewData) {
  EXPECT_EQ(ids_of(round_trips(5'000'000).ask("copy_round_trip")), "copy_round_trip_if ");
}

TEST(CopyRoundTrip, LoadedDataAreNew) {
  Program program = round_trips(5'000'000);
  for (int64_t i = 0, t = 1'000'000; i < kSteps; ++i, t += 12'100'000) {
    program.builder_.push_pop(program.thread_, t + 7'100'000, t + 12'000'000, "data_loading");
  }
  EXPECT_EQ(ids_of(program.ask("copy_round_trip")), "");
}

TEST(CopyRoundTrip, AResultIsLessThanItsInput) {
  EXPECT_EQ(ids_of(round_trips(20'000, 1 << 20).ask("copy_round_trip")), "");
}

TEST(CopyRoundTrip, LongKernelsBetweenTheCopiesAreWorthThem) {
  Program program;
  program.each_step([&](int64_t t) {
    program.up(t, t + 1'000'000, 64 << 20);
    program.kernel(t + 1'010'000, t + 8'000'000);
    program.down(t + 8'010'000, t + 9'010'000, 64 << 20);
  });
  EXPECT_EQ(ids_of(program.ask("copy_round_trip")), "");
}

/// The next part goes up while the last one comes down: a pipeline over parts of one problem.
TEST(CopyRoundTrip, APipelineIsNone) {
  Program program;
  const StreamId other = program.builder_.stream(1);
  for (int64_t i = 0; i < kSteps; ++i) {
    const int64_t t = 1'000'000 + i * 3'000'000;
    const auto copy = [&](int64_t start, CopyKind kind) {
      const uint32_t call = program.builder_.call(program.thread_, t - 5'000, t - 4'000, "cudaMemcpyAsync_v3020");
      program.builder_.host_copy(i % 2 == 0 ? program.stream_ : other, start, start + 2'900'000, kind,
                                 MemoryKind::pinned, 64 << 20, call);
    };
    copy(t, CopyKind::host_to_device);
    program.kernel(t + 2'950'000, t + 2'990'000);
    copy(t + 3'000'000, CopyKind::device_to_host);
  }
  Trace trace = program.builder_.build();
  EXPECT_EQ(ids_of(ask_rule("copy_round_trip", trace)), "");
  EXPECT_EQ(ids_of(ask_rule("serial_directions", trace)), "");
}

TEST(SerialDirections, CostWhatTheShorterOnesTake) {
  const Diagnosis diagnosis = round_trips(20'000, 32 << 20).ask("serial_directions");
  ASSERT_EQ(ids_of(diagnosis), "serial_directions ");
  EXPECT_EQ(diagnosis.findings.front().ceiling_ns, 4'000'000 * kJudged);
}

TEST(SerialDirections, WhatComesBackAndGoesUpAgainIsNeededFirst) {
  EXPECT_EQ(ids_of(round_trips(20'000).ask("serial_directions")), "");
}

TEST(SerialDirections, NeedTwoCopyEngines) {
  Program program = round_trips(20'000, 32 << 20);
  program.builder_.device().copy_engines = 1;
  EXPECT_EQ(ids_of(program.ask("serial_directions")), "");
}

/// Masks go to the GPU before each of eight kernels, or all by a thread that launches nothing.
Program step_with_copies(bool of_a_pipeline) {
  Program program;
  const ThreadId pipeline = program.builder_.thread(1, 2);
  const StreamId own = program.builder_.stream(1);
  program.each_step([&](int64_t t) {
    program.builder_.push_pop(program.thread_, t, t + kStep - 1'000, "step");
    for (int64_t i = 0; i < 8; ++i) {
      const int64_t at = t + 100'000 + i * 1'200'000;
      const ThreadId thread = of_a_pipeline ? pipeline : program.thread_;
      const uint32_t call = program.builder_.call(thread, at - 20'000, at + 400'000, "cudaMemcpyAsync_v3020");
      program.builder_.host_copy(of_a_pipeline ? own : program.stream_, at, at + 400'000, CopyKind::host_to_device,
                                 MemoryKind::pinned, 8 << 20, call);
      program.kernel(at + 410'000, at + 1'100'000);
    }
    program.builder_.call(program.thread_, t + 9'500'000, t + 9'900'000, "cudaDeviceSynchronize_v3020");
  });
  return program;
}

TEST(RepeatedCopy, OfMasksInEachLayer) {
  EXPECT_EQ(ids_of(step_with_copies(false).ask("repeated_copy")), "repeated_copy ");
}

TEST(RepeatedCopy, ADataPipelinesPiecesAreOneInput) {
  EXPECT_EQ(ids_of(step_with_copies(true).ask("repeated_copy")), "");
}

/// The GPU works for 1 ms of each 10 ms, then the host does something and copies its result to the GPU.
Program input_program(int64_t bytes, std::string_view os_call = {}) {
  Program program;
  program.each_step([&](int64_t t) {
    program.up(t + 10'000, t + 110'000, bytes);
    program.kernel(t + 120'000, t + 1'100'000);
    if (!os_call.empty()) program.builder_.os_call(program.thread_, t + 1'000'000, t + kStep, os_call);
  });
  return program;
}

TEST(GpuIdle, HostTimeBeforeAnInputIsItsPreparation) {
  const Diagnosis diagnosis = input_program(64 << 20).ask("gpu_idle");
  EXPECT_TRUE(ids_of(diagnosis).starts_with("gpu_idle_input ")) << ids_of(diagnosis);
  EXPECT_NEAR(static_cast<double>(diagnosis.findings.front().ceiling_ns), 8.9e6 * (kSteps - 1), 1e6);
}

TEST(GpuIdle, WaitsForWorkersAreToo) {
  const Diagnosis diagnosis = input_program(64 << 20, "poll").ask("gpu_idle");
  EXPECT_TRUE(ids_of(diagnosis).starts_with("gpu_idle_input ")) << ids_of(diagnosis);
  EXPECT_TRUE(diagnosis.findings.front().arguments.back().text.starts_with("poll"));
}

TEST(GpuIdle, SleepingAndScalarsAreNot) {
  EXPECT_FALSE(ids_of(input_program(64 << 20, "usleep").ask("gpu_idle")).contains("gpu_idle_input"));
  EXPECT_FALSE(ids_of(input_program(8).ask("gpu_idle")).contains("gpu_idle_input"));
}

/// Steps of short kernels that the host launched long before, in one call a step or one a kernel.
std::string idle_between_short_kernels(bool graph) {
  Program program;
  constexpr int64_t kKernels = 100;
  for (int64_t i = 0; i < kSteps; ++i) {
    uint32_t call = 0;
    for (int64_t k = 0; k < kKernels; ++k) {
      const int64_t launched = 10'000 * i + 50 * k;
      if (!graph) call = program.builder_.call(program.thread_, launched, launched + 40);
      if (graph && k == 0)
        call = program.builder_.call(program.thread_, launched, launched + 40, "cudaGraphLaunch_v10000");
      const int64_t start = 2'000'000 + (i * kKernels + k) * 4'000;
      program.builder_.kernel(program.stream_, start, start + 2'500, "work", call);
    }
  }
  return ids_of(program.ask("gpu_idle"));
}

TEST(GpuIdle, NodesOfGraphsHaveAGraphAlready) {
  EXPECT_EQ(idle_between_short_kernels(true), "gpu_idle_start_graph ");
  EXPECT_EQ(idle_between_short_kernels(false), "gpu_idle_start ");
}

/// Kernels of one block with so many threads.
Diagnosis one_block_of(uint32_t threads, std::string_view rule) {
  Program program;
  Device& device = program.builder_.device();
  device.compute_major = 8;
  device.compute_minor = 0;
  device.sm_count = 108;
  for (int64_t i = 0; i < kSteps; ++i) {  // the host is far ahead
    const uint32_t call = program.builder_.call(program.thread_, i * 2'000, i * 2'000 + 1'000);
    program.builder_.kernel(program.stream_, kStep * i + 100'000, kStep * i + 9'900'000, "work", call);
  }
  program.builder_.call(program.thread_, 50'000, kStep * kSteps, "cudaDeviceSynchronize_v3020");
  Trace trace = program.builder_.build();
  for (Dim3& block : trace.kernels.block) block = {threads, 1, 1};
  return ask_rule(rule, trace);
}

TEST(SmallBlock, OneThreadUsesOneLane) {
  const Diagnosis diagnosis = one_block_of(1, "small_block");
  ASSERT_EQ(ids_of(diagnosis), "small_block ");
  EXPECT_EQ(argument_of(diagnosis.findings.front(), "threads"), 1);
  EXPECT_EQ(ids_of(one_block_of(1, "small_grid")), "");
}

TEST(SmallBlock, AWholeWarpIsTheGridsMatter) {
  EXPECT_EQ(ids_of(one_block_of(32, "small_block")), "");
  EXPECT_EQ(ids_of(one_block_of(32, "small_grid")), "small_grid ");
}

}  // namespace gpu_work_rules_test
}  // namespace sonde
