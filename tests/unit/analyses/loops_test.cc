#include "analyses/steps/loops.h"

#include <gtest/gtest.h>

#include "analyses/steps/run_parts.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace loops_test {

/// A thread whose launches follow each other, and the stream that it launches on. Times are microseconds.
class Host {
 public:
  explicit Host(TraceBuilder& builder, int64_t tid = 1)
      : b_(builder), thread_(builder.thread(1, tid)), stream_(builder.stream(1)) {}

  /// A launch of `host_us` whose kernel begins when the GPU is free, and takes `gpu_us`.
  void launch(std::string_view kernel, int64_t host_us, int64_t gpu_us) {
    const uint32_t call = b_.call(thread_, ns(now_), ns(now_ + host_us));
    gpu_free_ = std::max(gpu_free_, now_ + host_us);
    b_.kernel(stream_, ns(gpu_free_), ns(gpu_free_ + gpu_us), kernel, call);
    gpu_free_ += gpu_us;
    now_ += host_us;
  }
  void copy_in(int64_t us) {
    const uint32_t call = b_.call(thread_, ns(now_), ns(now_ + us), "cudaMemcpy_v3020");
    b_.host_copy(stream_, ns(now_), ns(now_ + us), CopyKind::host_to_device, MemoryKind::pageable, 4096, call);
    now_ += us;
    gpu_free_ = std::max(gpu_free_, now_);
  }
  void wait() { now_ = std::max(now_, gpu_free_); }
  void pass(int64_t us) { now_ += us; }
  void range(int64_t begin_us, std::string_view name, DomainId domain = 0) {
    b_.push_pop(thread_, ns(begin_us), ns(now_), name, domain);
  }
  [[nodiscard]] int64_t now() const { return now_; }
  [[nodiscard]] ThreadId thread() const { return thread_; }

 private:
  static int64_t ns(int64_t us) { return 1000 * us; }
  TraceBuilder& b_;
  ThreadId thread_;
  StreamId stream_;
  int64_t now_ = 0;
  int64_t gpu_free_ = 0;
};

/// A step of two kernels that the host waits for, in a range unless the name is empty.
void step(Host& host, std::string_view name, int64_t gpu_us = 40) {
  const int64_t begin = host.now();
  host.launch("gemm", 5, gpu_us);
  host.launch("relu", 5, gpu_us / 4);
  host.wait();
  if (!name.empty()) host.range(begin, name);
}

TEST(Loops, ARangeInsideAnotherIsALoop) {
  TraceBuilder b;
  Host host(b);
  for (int i = 0; i < 20; ++i) step(host, "pass " + std::to_string(i));
  host.range(0, "outer");
  const auto found = find_warm_up(b.build());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->range, "pass #");
  EXPECT_EQ(found->iterations, 20);
  EXPECT_EQ(found->thread, kNone);
}

TEST(Loops, OneKernelPerIterationIsALoop) {
  TraceBuilder b;
  Host host(b);
  for (int i = 0; i < 20; ++i) host.launch("life", 5, 30);
  host.wait();
  const auto found = find_warm_up(b.build());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->range, "launch of life");
  EXPECT_EQ(found->iterations, 19) << "the end of the last one is not known";
}

TEST(Loops, CopiesBehindEachOtherAreSetUp) {
  TraceBuilder b;
  Host host(b);
  for (int i = 0; i < 16; ++i) host.copy_in(50);
  for (const char* kernel : {"a", "b", "c", "d", "e"}) host.launch(kernel, 5, 10);
  EXPECT_FALSE(find_warm_up(b.build()));
}

TEST(Loops, ALoopMayBeAShortPartOfTheRun) {
  TraceBuilder b;
  Host host(b);
  for (int i = 0; i < 12; ++i) {
    host.launch("start", 5, 10);
    host.wait();
    host.pass(1000);
  }
  const int64_t begin = host.now();
  for (int i = 0; i < 30; ++i) step(host, "");
  const Trace trace = b.build();
  const RunParts parts = parts_of_run(trace);
  ASSERT_EQ(parts.parts.size(), 2);
  ASSERT_TRUE(parts.parts[0].steps);
  EXPECT_EQ(parts.parts[0].steps->range, "2 launches from gemm");
  EXPECT_EQ(parts.parts[0].extent.first, 1000 * begin);
  ASSERT_TRUE(parts.parts[1].steps) << "the start takes most of the time";
  EXPECT_EQ(parts.parts[1].steps->range, "launch of start");
  EXPECT_EQ(parts.set_up_ns(), 5000);
}

TEST(Loops, SeveralLoopsAreSeveralParts) {
  TraceBuilder b;
  Host host(b);
  for (int i = 0; i < 20; ++i) step(host, "train");
  for (int i = 0; i < 10; ++i) step(host, "validate", 20);
  const RunParts parts = parts_of_run(b.build());
  ASSERT_EQ(parts.parts.size(), 2);
  EXPECT_EQ(parts.parts[0].steps->range, "train");
  EXPECT_EQ(parts.parts[1].steps->range, "validate");
  EXPECT_LE(parts.parts[0].extent.second, parts.parts[1].extent.first);
}

TEST(Loops, TheStepIsThatOfTheThreadThatLaunches) {
  TraceBuilder b;
  Host host(b);
  const ThreadId pipeline = b.thread(1, 2);
  for (int i = 0; i < 20; ++i) {
    const int64_t begin = host.now();
    step(host, "step " + std::to_string(i));
    host.pass(40);  // for the next batch
    b.push_pop(pipeline, 1000 * begin, 1000 * host.now(), "RunCPU");
  }
  const auto found = find_warm_up(b.build());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->range, "step #");
  EXPECT_EQ(found->median_ns, 95'000) << "waiting for the batch is part of the step";
}

TEST(Loops, WorkThatShrinksIsNoWarmUp) {
  TraceBuilder b;
  Host host(b);
  for (int i = 0; i < 40; ++i) step(host, "row", 4 * (40 - i) * (40 - i) + 4);
  const auto found = find_warm_up(b.build());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slow_iterations, 0);
  EXPECT_EQ(found->steady.size(), 40);
}

TEST(Loops, SlowStepsBeforeLevelOnesAreTheWarmUp) {
  TraceBuilder b;
  Host host(b);
  for (int i = 0; i < 20; ++i) step(host, "step", i < 3 ? 400 : 40);
  const auto found = find_warm_up(b.build());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slow_iterations, 3);
}

TEST(Loops, StepsOfAHostFarAheadHaveTheTimesOfTheGpu) {
  TraceBuilder b;
  Host host(b);
  for (int i = 0; i < 10; ++i) {
    const int64_t begin = host.now();
    host.launch("gemm", 5, 1000);
    host.range(begin, "ProfilerStep#" + std::to_string(i));
  }
  const auto found = find_warm_up(b.build());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->range, "ProfilerStep#");
  EXPECT_EQ(found->steady.front(), Span(5'000, 1'005'000));
  EXPECT_EQ(found->steady.back(), Span(9'005'000, 10'005'000));
}

/// Five times the same kernels with operators around them, as torch.profiler records them.
void pass_of_model(TraceBuilder& b, Host& host) {
  const DomainId ops = b.domain("torch.operator", DomainKind::op);
  for (const char* kernel : {"embed", "norm", "gemm", "norm", "gemm", "softmax"}) {
    const int64_t begin = host.now();
    host.launch(kernel, 5, 20);
    host.range(begin, "aten::op", ops);
  }
  host.wait();
}

TEST(Loops, LaunchesRepeatInTracesWithOperatorsToo) {
  TraceBuilder b;
  Host host(b);
  for (int i = 0; i < 5; ++i) pass_of_model(b, host);
  const auto found = find_warm_up(b.build());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->range, "6 launches from embed");
  EXPECT_EQ(found->iterations, 5);
}

TEST(Loops, LayersInsideAModuleAreNoSteps) {
  TraceBuilder b;
  Host host(b);
  const DomainId modules = b.domain("torch.module", DomainKind::module);
  host.launch("embed", 5, 20);
  for (int i = 0; i < 12; ++i) step(host, "");
  host.range(0, "nn.Module: Model_0", modules);
  EXPECT_FALSE(find_warm_up(b.build()));
}

TEST(Loops, AnInnerLoopMayVary) {
  TraceBuilder b;
  Host host(b);
  for (int i = 0; i < 20; ++i) {
    host.launch("residual", 5, 20);
    for (int k = 0; k < 2 + i % 5; ++k) host.launch("smooth", 5, 10);
    host.launch("correct", 5, 20);
    host.wait();
    host.pass(10);
  }
  const auto found = find_warm_up(b.build());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->range, "about 6 launches from residual");
  EXPECT_EQ(found->iterations, 19);
}

TEST(Loops, TimeOutsideOfGpuWorkIsNotJudged) {
  TraceBuilder b;
  Host host(b);
  host.pass(500);
  host.launch("once", 5, 100);
  host.wait();
  b.os_call(host.thread(), 0, 450'000, "read");
  b.os_call(host.thread(), 700'000, 900'000, "write");
  const RunParts parts = parts_of_run(b.build());
  EXPECT_EQ(parts.run, Span(0, 900'000));
  EXPECT_EQ(parts.set_up_ns(), 505'000);
  EXPECT_EQ(parts.after_ns(), 295'000);
  ASSERT_EQ(parts.parts.size(), 1);
  EXPECT_FALSE(parts.parts[0].steps);
  EXPECT_EQ(parts.parts[0].extent, Span(505'000, 605'000));
}

}  // namespace loops_test
}  // namespace sonde
