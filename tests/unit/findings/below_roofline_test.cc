#include <fmt/format.h>
#include <gtest/gtest.h>

#include "shared/ask_rule.h"
#include "shared/trace_builder.h"

/// Ten calls of one operator on an H100, one after the other.
namespace sonde {
namespace below_roofline_test {

struct Operation {
  std::string_view name;
  std::string_view shapes;
  std::string_view types;
  std::string_view values = "[]";
  std::string_view kernel = "a kernel";
  int64_t kernel_ns = 1'000'000;
};

Diagnosis ask_of(const Operation& operation, std::string gpu = "NVIDIA H100 80GB HBM3") {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 1);
  const StreamId stream = b.stream(1);
  const DomainId domain = b.domain("torch.operator", DomainKind::op);
  b.device().name = std::move(gpu);
  for (int64_t i = 0; i < 10; ++i) {
    b.push_pop(thread, i * 2'000, i * 2'000 + 1'500, operation.name, domain);
    b.inputs(fmt::format("{}\n{}\n{}", operation.shapes, operation.types, operation.values));
    const uint32_t launch = b.call(thread, i * 2'000 + 100, i * 2'000 + 1'000);
    const int64_t start = 10'000 + i * operation.kernel_ns;
    b.kernel(stream, start, start + operation.kernel_ns, operation.kernel, launch);
  }
  b.call(thread, 40'000, 11'000 + 10 * operation.kernel_ns, "cudaDeviceSynchronize_v3020");
  return ask_rule("below_roofline", b.build());
}

constexpr Operation kBatchNorm{
    .name = "aten::native_batch_norm",
    .shapes = "[[64,64,112,112],[64],[64],[64],[64],[],[],[]]",
    .types = R"(["c10::BFloat16","float","float","float","float","Scalar","Scalar","Scalar"])"};

std::string text_of(const Finding& finding, std::string_view name) {
  const auto found = std::ranges::find(finding.arguments, name, &Argument::name);
  return found == finding.arguments.end() ? "" : found->text;
}

TEST(BelowRoofline, CostsTheTimeAboveTheLeastTime) {
  const Diagnosis diagnosis = ask_of(kBatchNorm);
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  const Finding& finding = diagnosis.findings.front();
  EXPECT_EQ(finding.id, "below_roofline_batch_norm");
  // 2 * (2 * 64 * 64 * 112 * 112 + 2 * 64 * 2) bytes at 3.35 TB/s are 61,350 ns.
  const auto time = std::ranges::find(finding.arguments, "time", &Argument::name);
  ASSERT_NE(time, finding.arguments.end());
  EXPECT_GE(time->number, 9'000'000);  // a loop may be judged without one of its iterations
  EXPECT_NEAR(static_cast<double>(finding.ceiling_ns), time->number * (1 - 0.061350), 20);
  EXPECT_EQ(text_of(finding, "operator"), "aten::native_batch_norm (64x64x112x112)");
  EXPECT_EQ(text_of(finding, "rate"), "0.21 of 3.35 TB/s");
}

TEST(BelowRoofline, DoesNotAdviseTheLayoutThatIsUsed) {
  Operation norm = kBatchNorm;
  norm.kernel = "void at::native::batch_norm_transform_input_channels_last_kernel<float>";
  EXPECT_EQ(ask_of(norm).findings.at(0).id, "below_roofline_norm");
}

TEST(BelowRoofline, LeavesOutWhatRunsAboveAThird) {
  Operation fast = kBatchNorm;
  fast.kernel_ns = 170'000;
  EXPECT_TRUE(ask_of(fast).findings.empty());
}

TEST(BelowRoofline, LeavesOutShortKernelsAndUnknownGpus) {
  Operation shorter = kBatchNorm;
  shorter.shapes = "[[1,64,2,2],[64],[64],[64],[64],[],[],[]]";
  shorter.kernel_ns = 9'000;
  EXPECT_TRUE(ask_of(shorter).findings.empty());
  EXPECT_TRUE(ask_of(kBatchNorm, "another GPU").findings.empty());
}

Operation product(std::string_view shapes) {
  return {.name = "aten::mm", .shapes = shapes, .types = R"(["c10::BFloat16","c10::BFloat16"])"};
}

TEST(BelowRoofline, NamesInnerDimensionsThatDoNotFitTensorCores) {
  const auto id_of = [](std::string_view shapes) {
    const Diagnosis diagnosis = ask_of(product(shapes));
    return diagnosis.findings.empty() ? std::string() : diagnosis.findings.front().id;
  };
  EXPECT_EQ(id_of("[[4096,1024],[1024,50257]]"), "");  // 421 TFLOP, 43 % of the peak
  EXPECT_EQ(id_of("[[1024,1024],[1024,50257]]"), "below_roofline_matrix_alignment");
  EXPECT_EQ(id_of("[[1024,1024],[1024,50304]]"), "below_roofline_matrix");
}

TEST(BelowRoofline, NamesChannelsAndLayoutsOfConvolutions) {
  Operation convolution{.name = "aten::cudnn_convolution",
                        .shapes = "[[64,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]",
                        .types = R"(["c10::BFloat16","c10::BFloat16","","","","","","",""])",
                        .values = R"(["","","[3, 3]","[2, 2]","[1, 1]","1","False","False","True"])"};
  const auto id_of = [](const Operation& operation) { return ask_of(operation).findings.at(0).id; };
  EXPECT_EQ(id_of(convolution), "below_roofline_convolution_channels");
  convolution.shapes = "[[64,64,56,56],[64,64,3,3],[],[],[],[],[],[],[]]";
  EXPECT_EQ(id_of(convolution), "below_roofline_convolution");
  convolution.kernel = "void cudnn::engines_precompiled::nchwToNhwcKernel<float>";
  EXPECT_EQ(id_of(convolution), "below_roofline_convolution_layout");
}

TEST(BelowRoofline, NamesAttentionThatMultipliesFloatsThreeTimes) {
  const Diagnosis diagnosis = ask_of({.name = "aten::_efficient_attention_forward",
                                      .shapes = "[[8,512,12,64],[8,512,12,64],[8,512,12,64],[],[],[],[],[],[],[]]",
                                      .types = R"(["float","float","float","","","","","","Scalar","Scalar"])",
                                      .values = R"(["","","","","","","","","0.","0"])",
                                      .kernel = "fmha_cutlassF_f32_aligned_64x64_rf_sm80(Params)"});
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  EXPECT_EQ(diagnosis.findings.front().id, "below_roofline_attention_float32");
  EXPECT_EQ(text_of(diagnosis.findings.front(), "rate"), "6 of 165 TFLOP/s (3xTF32)");
}

}  // namespace below_roofline_test
}  // namespace sonde
