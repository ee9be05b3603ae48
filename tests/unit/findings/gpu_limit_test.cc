#include <gtest/gtest.h>

#include "findings/gpu_limit.h"
#include "findings/rule.h"
#include "report/text/diagnosis_text.h"
#include "shared/trace_builder.h"

/// Products of 8192 x 8192 matrices in bfloat16, back to back: 2 * 8192^3 FLOP each.
namespace sonde {
namespace gpu_limit_test {

struct Program {
  int64_t kernel_ns = 1'550'000;  ///< 709 TFLOP/s
  int64_t gap_ns = 5'000;
  std::string gpu = "NVIDIA H100 80GB HBM3";
};

Trace trace_of(const Program& program) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 1);
  const StreamId stream = b.stream(1);
  const DomainId operators = b.domain("torch.operator", DomainKind::op);
  b.device().name = program.gpu;
  int64_t gpu = 10'000;
  for (int64_t i = 0; i < 20; ++i) {
    b.push_pop(thread, i * 2'000, i * 2'000 + 1'500, "aten::mm", operators);
    b.inputs("[[8192,8192],[8192,8192]]\n[\"c10::BFloat16\",\"c10::BFloat16\"]\n[]");
    const uint32_t launch = b.call(thread, i * 2'000 + 100, i * 2'000 + 1'000);
    b.kernel(stream, gpu, gpu + program.kernel_ns, "nvjet_sm90_tst_320x128", launch, {132, 1, 1});
    gpu += program.kernel_ns + program.gap_ns;
  }
  b.call(thread, 40'000, gpu + 1'000, "cudaDeviceSynchronize_v3020");
  return b.build();
}

TEST(GpuLimit, IsTheBestMeasuredRateOfProducts) {
  const Trace trace = trace_of({});
  const Facts facts(trace);
  const auto limit = gpu_limit(facts);
  ASSERT_TRUE(limit);
  ASSERT_EQ(limit->work.size(), 1U);
  const WorkAtLimit& work = limit->work.front();
  EXPECT_EQ(work.kind, OperatorKind::matrix);
  EXPECT_EQ(work.precision, MathPrecision::bf16);
  EXPECT_NEAR(work.per_second, 2.0 * 8192 * 8192 * 8192 / 1.55e-3, 1e6);
  EXPECT_NEAR(limit->percent, 100 * 709.36 / 777, 0.01);
  EXPECT_NEAR(work.time_percent, 100, 1e-9);
}

TEST(GpuLimit, LeavesNothingToMeasure) {
  const Trace trace = trace_of({});
  const Facts facts(trace);
  const Diagnosis diagnosis = diagnose(facts);
  EXPECT_TRUE(diagnosis.findings.empty());
  EXPECT_EQ(headline_without_findings(facts, diagnosis),
            "The GPU works at 91.3 % of its limit: nothing to gain here but by less work.");
}

TEST(GpuLimit, IsAbsentForSlowKernelsIdleGpusAndUnknownOnes) {
  const auto has_limit = [](const Program& program) {
    const Trace trace = trace_of(program);
    return gpu_limit(Facts(trace)).has_value();
  };
  EXPECT_FALSE(has_limit({.kernel_ns = 1'600'000}));  // 687 TFLOP/s, 88 %
  EXPECT_FALSE(has_limit({.gap_ns = 100'000}));
  EXPECT_FALSE(has_limit({.gpu = "another GPU"}));
  EXPECT_FALSE(has_limit({.gpu = "NVIDIA H200"}));  // no rate was measured: 72 % of the data sheet's
}

}  // namespace gpu_limit_test
}  // namespace sonde
