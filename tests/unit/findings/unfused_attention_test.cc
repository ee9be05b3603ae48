#include <fmt/format.h>
#include <gtest/gtest.h>

#include "shared/ask_rule.h"
#include "shared/trace_builder.h"

/// Ten steps of an attention's kernels on one stream.
namespace sonde {
namespace unfused_attention_test {

struct Part {
  std::string_view kernel;
  int64_t ns;
  std::string_view shapes = {};  ///< of aten::bmm
};

constexpr int kSteps = 10;
constexpr std::string_view kProduct = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT";
/// Batch 8, 16 heads of length 64, 1,024 tokens: the scores' product, and the one with the scores.
constexpr std::string_view kToScores = "[[128,1024,64],[128,64,1024]]";
constexpr std::string_view kFromScores = "[[128,1024,1024],[128,1024,64]]";

void add_operator(TraceBuilder& b, ThreadId thread, DomainId domain, int64_t host, std::string_view shapes) {
  b.push_pop(thread, host, host + 1'500, "aten::bmm", domain);
  b.inputs(fmt::format("{}\n[\"c10::BFloat16\",\"c10::BFloat16\"]\n[]", shapes));
}

Diagnosis ask(const std::vector<Part>& step) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 1);
  const StreamId stream = b.stream(1);
  const DomainId domain = b.domain("torch.operator", DomainKind::op);
  b.device().name = "NVIDIA H100 80GB HBM3";
  int64_t host = 0;
  int64_t end = 20'000;
  for (int i = 0; i < kSteps; ++i) {
    for (const Part& part : step) {
      if (!part.shapes.empty()) add_operator(b, thread, domain, host, part.shapes);
      b.kernel(stream, end, end + part.ns, part.kernel, b.call(thread, host + 100, host + 1'000));
      host += 2'000;
      end += part.ns;
    }
  }
  b.call(thread, host, end + 1'000, "cudaDeviceSynchronize_v3020");
  return ask_rule("unfused_attention", b.build());
}

double argument(const Finding& finding, std::string_view name) {
  const auto found = std::ranges::find(finding.arguments, name, &Argument::name);
  return found == finding.arguments.end() ? 0 : found->number;
}

/// The ceiling and the kernels' time, both of an attention.
void expect_each(const Diagnosis& diagnosis, double time_us, double saved_us) {
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  const Finding& finding = diagnosis.findings.front();
  const double count = argument(finding, "count") * 1e3;
  EXPECT_NEAR(argument(finding, "time") / count, time_us, 1);
  EXPECT_NEAR(static_cast<double>(finding.ceiling_ns) / count, saved_us, 3);
}

TEST(UnfusedAttention, LeavesTheFlopOfTheProductsAtThePeak) {
  // Two products of 2 * 128 * 1024 * 1024 * 64 FLOP at 989.4 TFLOP/s.
  constexpr double kFusedUs = 2 * 17.36;
  expect_each(ask({{kProduct, 110'000, kToScores},
                   {"vectorized_elementwise_kernel", 180'000},
                   {"softmax_warp_forward", 234'000},
                   {kProduct, 113'000, kFromScores},
                   {"reduce_kernel", 50'000}}),
              637, 637 - kFusedUs);
}

TEST(UnfusedAttention, LeavesTheBytesWhereMemoryLimits) {
  // Scores of 128 x 128: queries, keys, values and results of 2 * 1024 * 128 * 64 bytes at 3.35 TB/s take 20 us.
  expect_each(ask({{kProduct, 50'000, "[[1024,128,64],[1024,64,128]]"},
                   {"softmax_warp_forward", 50'000},
                   {kProduct, 50'000, "[[1024,128,128],[1024,128,64]]"},
                   {"reduce_kernel", 50'000}}),
              150, 150 - 20.03);
}

std::vector<Part> backward(std::string_view to_scores, std::string_view from_scores) {
  return {{"reduce_kernel", 50'000},        {kProduct, 107'000, from_scores},   {kProduct, 112'000, to_scores},
          {"elementwise_kernel", 265'000},  {"softmax_warp_backward", 319'000}, {"elementwise_kernel", 175'000},
          {kProduct, 109'000, from_scores}, {kProduct, 111'000, from_scores}};
}

TEST(UnfusedAttention, CountsFourProductsBackward) {
  // Fused, a fifth one computes the scores again.
  expect_each(ask(backward(kToScores, kFromScores)), 1'198, 1'198 - 5 * 17.36);
}

TEST(UnfusedAttention, LeavesHalfOfTheProductsWithoutShapes) {
  expect_each(ask(backward({}, {})), 1'198, 1'198 - 439.0 / 2);
}

TEST(UnfusedAttention, NeedsOneSoftmaxBetweenProducts) {
  EXPECT_TRUE(
      ask({{kProduct, 50'000}, {"softmax", 50'000}, {"reduce_kernel", 50'000}, {kProduct, 50'000}}).findings.empty());
  EXPECT_TRUE(ask({{kProduct, 50'000}, {"softmax", 50'000}, {"softmax", 50'000}, {kProduct, 50'000}, {"r", 50'000}})
                  .findings.empty());
}

}  // namespace unfused_attention_test
}  // namespace sonde
