#include <algorithm>

#include <gtest/gtest.h>

#include "shared/ask_rule.h"
#include "shared/trace_builder.h"

/// Steps of a PyTorch program as its profiler records them: operators, calls and kernels on one thread and stream.
namespace sonde {
namespace training_step_test {

constexpr int64_t kUs = 1000;
constexpr int kSteps = 6;

class Training {
 public:
  Training()
      : thread_(builder_.thread(1, 1)),
        stream_(builder_.stream(1)),
        operators_(builder_.domain("torch.operator", DomainKind::op)) {}

  /// An operator of 10 us of host time around `body`.
  template <typename F>
  void op(std::string_view name, F body) {
    const int64_t start = now_;
    now_ += 5 * kUs;
    body();
    now_ += 5 * kUs;
    builder_.push_pop(thread_, start, now_, name, operators_);
  }
  void kernel(int64_t us, std::string_view name, Dim3 grid = {200, 1, 1}) {
    const uint32_t id = builder_.call(thread_, now_, now_ + 5 * kUs);
    now_ += 5 * kUs;
    const int64_t start = std::max(now_ + kUs, gpu_ + kUs);
    builder_.kernel(stream_, start, start + us * kUs, name, id, grid);
    gpu_ = start + us * kUs;
  }
  void op_with_kernel(std::string_view name, int64_t us) {
    op(name, [&] { kernel(us, name); });
  }
  void copy_and_wait(CopyKind kind, int64_t bytes = 4, int64_t us = 1) {
    const uint32_t id = builder_.call(thread_, now_, now_ + 8 * kUs, "cudaMemcpyAsync_v3020");
    now_ += 8 * kUs;
    const int64_t start = std::max(now_ + kUs, gpu_ + kUs);
    builder_.host_copy(stream_, start, start + us * kUs, kind, MemoryKind::pageable, bytes, id);
    gpu_ = start + us * kUs;
    builder_.call(thread_, now_, gpu_ + 2 * kUs, "cudaStreamSynchronize_v3020");
    now_ = gpu_ + 2 * kUs;
  }
  void range(std::string_view name, int64_t us) {
    builder_.push_pop(thread_, now_, now_ + us * kUs, name);
    now_ += us * kUs;
  }
  template <typename F>
  void steps(F body) {
    for (int i = 0; i < kSteps; ++i) {
      const int64_t start = now_;
      body();
      builder_.push_pop(thread_, start, now_, "step");
      now_ += kUs;
    }
  }
  Device& gpu() { return builder_.device(); }
  Diagnosis ask(std::string_view rule) { return ask_rule(rule, builder_.build()); }
  Trace build() { return builder_.build(); }

 private:
  TraceBuilder builder_;
  ThreadId thread_;
  StreamId stream_;
  DomainId operators_;
  int64_t now_ = 0;
  int64_t gpu_ = 0;
};

int64_t argument(const Finding& finding, std::string_view name) {
  const auto found = std::ranges::find(finding.arguments, name, &Argument::name);
  return found == finding.arguments.end() ? -1 : static_cast<int64_t>(found->number);
}

void accumulate(Training& t, int gradients) {
  for (int i = 0; i < gradients; ++i) {
    t.op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
         [&] { t.op_with_kernel("aten::add_", 50); });
  }
}

TEST(ZeroGrad, GoesWithTheAdditionsBehindIt) {
  Training t;
  t.steps([&] {
    for (int i = 0; i < 20; ++i) t.op_with_kernel("aten::zero_", 30);
    t.op_with_kernel("aten::mm", 400);
    accumulate(t, 20);
  });
  const Diagnosis diagnosis = t.ask("zero_grad");
  ASSERT_EQ(conclusions_of(diagnosis), "zero_grad ");
  const Finding& finding = diagnosis.findings.front();
  EXPECT_EQ(argument(finding, "kernels"), 20 * kSteps);
  EXPECT_EQ(argument(finding, "additions"), 20 * kSteps);
  // 20 x (30 + 50) us of 2.0 ms: the product remains.
  EXPECT_NEAR(static_cast<double>(finding.ceiling_ns), 20 * 80e3 * kSteps, 20 * 5e3 * kSteps);
}

TEST(ZeroGrad, FurtherBatchesAccumulate) {
  Training t;
  t.steps([&] {
    for (int i = 0; i < 20; ++i) t.op_with_kernel("aten::zero_", 30);
    for (int batch = 0; batch < 4; ++batch) accumulate(t, 20);
  });
  const Diagnosis diagnosis = t.ask("zero_grad");
  ASSERT_EQ(conclusions_of(diagnosis), "zero_grad ");
  EXPECT_EQ(argument(diagnosis.findings.front(), "additions"), 20 * kSteps);
}

TEST(ZeroGrad, BuffersAreNoGradients) {
  Training t;
  t.steps([&] {
    for (int i = 0; i < 4; ++i) t.op_with_kernel("aten::zero_", 30);
    for (int i = 0; i < 20; ++i) t.op("aten::zeros", [&] { t.op_with_kernel("aten::zero_", 30); });
    accumulate(t, 20);
  });
  EXPECT_EQ(conclusions_of(t.ask("zero_grad")), "");
}

void check_parameter(Training& t) {
  t.op_with_kernel("aten::isfinite", 2);
  t.op_with_kernel("aten::all", 2);
  t.op("aten::is_nonzero", [&] { t.op("aten::item", [&] { t.copy_and_wait(CopyKind::device_to_host); }); });
}

TEST(SyncInLoop, ChecksOfEachParameterGoWithTheirKernels) {
  Training t;
  constexpr int64_t kChecksNs = 50 * 62 * kUs;  // three operators, two launches, and a copy with a wait
  t.steps([&] {
    t.op_with_kernel("aten::mm", 300);
    for (int i = 0; i < 50; ++i) check_parameter(t);
    t.op_with_kernel("aten::mm", 300);
  });
  const Diagnosis diagnosis = t.ask("sync_in_loop");
  ASSERT_EQ(conclusions_of(diagnosis), "sync_in_loop ");
  const Finding& finding = diagnosis.findings.front();
  EXPECT_NEAR(static_cast<double>(finding.ceiling_ns), kSteps * kChecksNs, 0.05 * kSteps * kChecksNs);
  EXPECT_EQ(finding.arguments.front().text, "300 cudaStreamSynchronize in aten::is_nonzero");
}

TEST(SmallCopies, OfValuesGoWithTheWaitsBehindThem) {
  const auto program = [] {
    Training t;
    t.steps([&] {
      for (int i = 0; i < 50; ++i) t.op("aten::to", [&] { t.copy_and_wait(CopyKind::host_to_device); });
      t.op_with_kernel("aten::mm", 300);
    });
    return t;
  };
  EXPECT_EQ(conclusions_of(program().ask("small_copies")), "small_copies ");
  Training t = program();
  const Trace trace = t.build();
  const Facts facts(trace);
  const Diagnosis diagnosis = diagnose(facts);
  EXPECT_EQ(diagnosis.findings.front().id, "small_copies");
  EXPECT_TRUE(std::ranges::none_of(diagnosis.findings, [](const Finding& f) { return f.id == "sync_in_loop"; }));
}

TEST(SmallCopies, ResultsThatAreWaitedForAreNone) {
  Training t;
  t.steps([&] {
    for (int i = 0; i < 50; ++i) t.op("aten::item", [&] { t.copy_and_wait(CopyKind::device_to_host); });
    t.op_with_kernel("aten::mm", 300);
  });
  EXPECT_EQ(conclusions_of(t.ask("small_copies")), "");
}

void copy_constant(Training& t) {
  t.op("aten::to", [&] { t.copy_and_wait(CopyKind::host_to_device, 8 << 20, 800); });
}

TEST(RepeatedCopy, OneInTheMiddleOfEachStepIsEnough) {
  Training t;
  t.steps([&] {
    for (int i = 0; i < 20; ++i) t.op_with_kernel("aten::mm", 50);
    copy_constant(t);
    t.op_with_kernel("aten::mm", 50);
  });
  EXPECT_EQ(conclusions_of(t.ask("repeated_copy")), "repeated_copy ");
}

TEST(RepeatedCopy, AnInputComesAtTheBegin) {
  Training t;
  t.steps([&] {
    copy_constant(t);
    for (int i = 0; i < 20; ++i) t.op_with_kernel("aten::mm", 50);
  });
  EXPECT_EQ(conclusions_of(t.ask("repeated_copy")), "");
}

TEST(GpuIdle, CompilingIsNoCodeOfTheProgram) {
  Training t;
  t.steps([&] {
    t.op_with_kernel("aten::mm", 50);
    t.range("compile_inner (dynamo_timed)", 5000);
    t.op_with_kernel("aten::mm", 50);
  });
  EXPECT_EQ(t.ask("gpu_idle").findings.front().id, "gpu_idle_load");
}

/// The host has launched everything long before the GPU is done: what it does then decides nothing.
TEST(SmallGrid, CountsWhereTheHostRunsAhead) {
  Training t;
  Device& gpu = t.gpu();
  gpu.sm_count = 100;
  gpu.compute_major = 9;
  gpu.compute_minor = 0;
  t.steps([&] {
    for (int i = 0; i < 30; ++i) t.op("aten::mm", [&] { t.kernel(100, "gemm", {10, 1, 1}); });
  });
  const Diagnosis diagnosis = t.ask("small_grid");
  ASSERT_EQ(conclusions_of(diagnosis), "small_grid ");
  // Launching takes 15 us, a tenth of the kernel 10 us.
  const double saved = static_cast<double>(diagnosis.findings.front().ceiling_ns) / (30.0 * kSteps);
  EXPECT_NEAR(saved, 101e3 - 15e3, 2e3);
}

}  // namespace training_step_test
}  // namespace sonde
