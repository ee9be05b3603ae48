#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/text/diagnosis_text.h"
#include "shared/ask_rule.h"
#include "shared/trace_builder.h"

/// Ten steps of kernels on one stream, each kernel launched by an operator if it has shapes.
namespace sonde {
namespace float32_work_test {

struct Work {
  std::string_view kernel;
  int64_t ns = 1'000'000;
  std::string_view operation = {};
  std::string_view shapes = {};
  std::string_view types = {};
};

constexpr int kSteps = 10;
constexpr std::string_view kProduct = "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3";
constexpr std::string_view kTf32Product = "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32";
constexpr std::string_view kAttention = "fmha_cutlassF_f32_aligned_64x64_rf_sm80";

Trace trace_of(const std::vector<Work>& step, std::string gpu) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 1);
  const StreamId stream = b.stream(1);
  const DomainId domain = b.domain("torch.operator", DomainKind::op);
  b.device().name = std::move(gpu);
  int64_t host = 0;
  int64_t end = 20'000;
  for (int i = 0; i < kSteps; ++i) {
    for (const Work& work : step) {
      if (!work.operation.empty()) {
        b.push_pop(thread, host, host + 1'500, work.operation, domain);
        b.inputs(fmt::format("{}\n{}\n[]", work.shapes, work.types));
      }
      b.kernel(stream, end, end + work.ns, work.kernel, b.call(thread, host + 100, host + 1'000));
      host += 2'000;
      end += work.ns;
    }
  }
  b.call(thread, host, end + 1'000, "cudaDeviceSynchronize_v3020");
  return b.build();
}

constexpr std::string_view kH100 = "NVIDIA H100 80GB HBM3";

Diagnosis ask(const std::vector<Work>& step, std::string_view gpu = kH100) {
  return ask_rule("float32_work", trace_of(step, std::string(gpu)));
}

/// The ceiling as a part of the time that the kernels take.
double saved_part(const Finding& finding) {
  const auto time = std::ranges::find(finding.arguments, "time", &Argument::name);
  return time == finding.arguments.end() ? 0 : static_cast<double>(finding.ceiling_ns) / time->number;
}

void expect_saved(const Diagnosis& diagnosis, std::string_view id, double part) {
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  EXPECT_EQ(diagnosis.findings.front().id, id);
  EXPECT_NEAR(saved_part(diagnosis.findings.front()), part, 0.005);
}

TEST(Float32Work, TakesProductsAtThePeakOf16Bits) {
  // 2 * 4096^3 FLOP at 989.4 TFLOP/s are 138.9 us; 3 * 4096^2 numbers of two bytes at 3.35 TB/s are 30 us.
  const Work product{kProduct, 2'500'000, "aten::mm", "[[4096,4096],[4096,4096]]", R"(["float","float"])"};
  expect_saved(ask({product}), "float32_matmul", 1 - 138.9 / 2'500);
}

TEST(Float32Work, TakesHalfOfTheBytesWhereMemoryLimits) {
  // 4096 * 4096 + 2 * 4096 * 64 numbers of two bytes at 3.35 TB/s are 10.3 us; the FLOP are 2.2 us.
  const Work product{kTf32Product, 50'000, "aten::mm", "[[4096,4096],[4096,64]]", R"(["float","float"])"};
  expect_saved(ask({product}), "float32_work", 1 - 10.33 / 50);
}

TEST(Float32Work, TakesAtMostHalfOfTheTime) {
  // Faster than memory allows, as from the cache: 1.02e9 bytes take 305 us.
  const Work sum{"a kernel", 200'000, "aten::add", "[[1024,82944],[1024,82944],[]]", R"(["float","float","Scalar"])"};
  expect_saved(ask({{kTf32Product, 200'000}, sum}), "float32_work", 0.5);
}

TEST(Float32Work, DividesByTheRatioOfPeaksWithoutShapes) {
  expect_saved(ask({{kTf32Product}}), "float32_work", 0.5);
  expect_saved(ask({{kAttention}}), "float32_work", 1 - 1.0 / 6);
  expect_saved(ask({{kProduct}}), "float32_matmul", 1 - 67 / 989.4);
  expect_saved(ask({{kProduct}}, "NVIDIA A100-SXM4-40GB"), "float32_matmul", 1 - 19.5 / 312);
}

TEST(Float32Work, NamesTypesThatTheTensorCoresKnow) {
  const auto advice = [](int64_t compute_major) {
    Trace trace = trace_of({{kProduct}}, "Tesla V100-SXM2-16GB");
    trace.devices.front().compute_major = compute_major;
    const Diagnosis diagnosis = ask_rule("float32_work", trace);
    return text_of("float32_matmul.do", diagnosis.findings.at(0).arguments);
  };
  EXPECT_TRUE(advice(7).starts_with("Use float16 (torch.autocast): the tensor cores of this GPU know no "))
      << advice(7);
  EXPECT_TRUE(advice(8).contains("or TF32 for the products alone")) << advice(8);
}

TEST(Float32Work, CountsAllKernelsOnFloatsNextToProducts) {
  const Work norm{"vectorized_layer_norm_kernel", 1'000'000, "aten::native_layer_norm", "[[8,64],[],[64],[64],[]]",
                  R"(["float","ScalarList","float","float","Scalar"])"};
  const Work named{"at::native::vectorized_elementwise_kernel"};
  const Diagnosis diagnosis = ask({{kTf32Product}, norm, named});
  expect_saved(diagnosis, "float32_work", (0.5 + 0.999 + 0.5) / 3);
  const auto& arguments = diagnosis.findings.front().arguments;
  EXPECT_EQ(std::ranges::find(arguments, "kinds", &Argument::name)->text, "other kernels 67 %, products in TF32 33 %");
  EXPECT_EQ(diagnosis.claims.float32.size() % 3, 0U);
}

TEST(Float32Work, LeavesOutMixedPrecision) {
  const Work product{kTf32Product, 1'000'000, "aten::mm", "[[4096,4096],[4096,4096]]",
                     R"(["c10::BFloat16","c10::BFloat16"])"};
  const Work norm{"a kernel", 1'000'000, "aten::native_layer_norm", "[[8,64],[],[64],[64],[]]",
                  R"(["float","ScalarList","float","float","Scalar"])"};
  EXPECT_TRUE(ask({product, norm}).findings.empty());
  const Work optimizer{"at::native::multi_tensor_apply_kernel"};
  EXPECT_TRUE(ask({product, optimizer}).findings.empty());
  EXPECT_TRUE(ask({{"cutlass_80_tensorop_s1688gemm_f16_128x128"}, {"fmha_cutlassF_bf16_aligned"}}).findings.empty());
}

TEST(Float32Work, LeavesOutCommunication) {
  const Work reduction{"ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1'000'000, "record_param_comms", "[[4096,4096]]",
                       R"(["float"])"};
  const Diagnosis diagnosis = ask({{kTf32Product}, reduction});
  expect_saved(diagnosis, "float32_work", 0.5);
  const auto& arguments = diagnosis.findings.front().arguments;
  EXPECT_EQ(std::ranges::find(arguments, "kinds", &Argument::name)->text, "products in TF32 100 %");
}

TEST(Float32Work, NeedsTheGpuForProductsWithoutTensorCores) {
  const Diagnosis unknown = ask({{kProduct}}, "another GPU");
  EXPECT_TRUE(unknown.findings.empty());
  ASSERT_EQ(unknown.abstentions.size(), 1U);
  EXPECT_EQ(unknown.abstentions.front().id, "float32_work.unknown_gpu");
  expect_saved(ask({{kTf32Product}}, "another GPU"), "float32_work", 0.5);
}

TEST(Float32Work, LeavesOutGpusWithoutTensorCores) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 1);
  const StreamId stream = b.stream(1);
  Device& device = b.device();
  device.name = "NVIDIA GeForce GTX 1080";
  device.compute_major = 6;
  device.compute_minor = 1;
  for (int64_t i = 0; i < kSteps; ++i) {
    b.kernel(stream, i * 1'000'000 + 5'000, i * 1'000'000 + 1'000'000, kProduct,
             b.call(thread, i * 1'000'000, i * 1'000'000 + 2'000));
  }
  b.call(thread, kSteps * 1'000'000 + 3'000, kSteps * 1'000'000 + 5'000, "cudaDeviceSynchronize_v3020");
  const Diagnosis diagnosis = ask_rule("float32_work", b.build());
  EXPECT_TRUE(diagnosis.findings.empty());
  EXPECT_TRUE(diagnosis.abstentions.empty());
}

/// In each step a copy of pageable memory waits for the kernel, and its call returns shortly before it is over.
TEST(Float32Work, ShortensTheWaitsOfStagedCopies) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 1);
  const StreamId stream = b.stream(1);
  b.device().name = kH100;
  int64_t now = 0;
  for (int i = 0; i < kSteps; ++i) {
    b.kernel(stream, now + 10'000, now + 1'010'000, kTf32Product, b.call(thread, now, now + 5'000));
    const uint32_t copy = b.call(thread, now + 7'000, now + 1'105'000, "cudaMemcpyAsync_v3020");
    b.host_copy(stream, now + 1'011'000, now + 1'111'000, CopyKind::host_to_device, MemoryKind::pageable, 2'000'000,
                copy);
    now += 1'112'000;
  }
  b.call(thread, now, now + 5'000, "cudaDeviceSynchronize_v3020");
  expect_saved(ask_rule("float32_work", b.build()), "float32_work", 0.5);
}

/// The host launches each kernel as the one before ends, without a recorded call that waits: paced by the GPU, or,
/// where that is often idle, by its own work.
Diagnosis ask_paced(int64_t kernel_ns) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 1);
  const StreamId stream = b.stream(1);
  b.device().name = kH100;
  for (int64_t i = 0; i < kSteps; ++i) {
    const int64_t at = i * 1'000'000;
    b.kernel(stream, at + 5'000, at + 5'000 + kernel_ns, kAttention, b.call(thread, at, at + 2'000));
  }
  return ask_rule("float32_work", b.build());
}

TEST(Float32Work, DoesNotKeepAHostThatTheGpuPaces) {
  expect_saved(ask_paced(990'000), "float32_work", 1 - 1.0 / 6);
  EXPECT_TRUE(ask_paced(900'000).findings.empty());
}

TEST(Float32Work, KeepsItsAttentionFromBelowRoofline) {
  const Work attention{kAttention, 1'000'000, "aten::_scaled_dot_product_efficient_attention",
                       "[[8,12,512,64],[8,12,512,64],[8,12,512,64],[],[],[],[],[]]",
                       R"(["float","float","float","","Scalar","Scalar","Scalar",""])"};
  const Trace trace = trace_of({attention}, std::string(kH100));
  const Diagnosis diagnosis = diagnose(Facts(trace));
  EXPECT_EQ(std::ranges::count(diagnosis.findings, "float32_work", &Finding::id), 1);
  EXPECT_EQ(std::ranges::count(diagnosis.findings, "below_roofline_attention_float32", &Finding::id), 0);
}

}  // namespace float32_work_test
}  // namespace sonde
