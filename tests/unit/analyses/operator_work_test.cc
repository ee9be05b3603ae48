#include "analyses/operators/operator_work.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sonde {
namespace operator_work_test {

OperatorInputs inputs_of(std::string_view shapes, std::string_view types, std::string_view values = "[]") {
  return OperatorInputs(fmt::format("{}\n{}\n{}", shapes, types, values));
}

OperatorWork work_of(std::string_view name, std::string_view shapes, std::string_view types,
                     std::string_view values = "[]") {
  return operator_work(name, inputs_of(shapes, types, values));
}

void expect_work(const OperatorWork& work, MaybeAmount flop, MaybeAmount bytes) {
  EXPECT_EQ(work.work.flop, flop);
  EXPECT_EQ(work.work.bytes, bytes);
}

constexpr std::string_view kHalves = R"(["c10::Half","c10::Half","c10::Half","c10::Half"])";
constexpr std::string_view kFloats = R"(["float","float","float","float","float","float"])";

TEST(OperatorWork, CountsTwoOperationsForEachProductOfAMatrixMultiplication) {
  // 3x5 by 5x7: 3 * 7 results of 5 products and 5 sums.
  expect_work(work_of("aten::mm", "[[3,5],[5,7]]", kHalves), 2 * 3 * 5 * 7, 2 * (15 + 35 + 21));
  expect_work(work_of("aten::addmm", "[[7],[3,5],[5,7],[],[]]", kFloats), 210, 4 * (7 + 15 + 35 + 21));
  expect_work(work_of("aten::bmm", "[[2,3,5],[2,5,7]]", kHalves), 420, 2 * 2 * (15 + 35 + 21));
  expect_work(work_of("aten::baddbmm", "[[2,3,7],[2,3,5],[2,5,7]]", kHalves), 420, 2 * 2 * (21 + 15 + 35 + 21));
  expect_work(work_of("aten::mv", "[[3,5],[5]]", kFloats), 30, 4 * (15 + 5 + 3));
  expect_work(work_of("aten::linear", "[[2,3,5],[7,5],[7]]", kFloats), 420, 4 * (30 + 35 + 7 + 42));
}

TEST(OperatorWork, DoesNotReadAResultThatTheCallerPasses) {
  expect_work(work_of("aten::mm", "[[3,5],[5,7],[3,7]]", kHalves), 210, 2 * (15 + 35 + 21));
  expect_work(work_of("aten::mul", "[[8],[],[8]]", R"(["float","double","float"])"), {}, 4 * 8 + 8 + 4 * 8);
}

TEST(OperatorWork, TakesTheTypeOfAScaledProductFromItsArguments) {
  const std::string_view types = R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn","float","float","","",""])";
  const std::string_view shapes = "[[16,32],[32,64],[],[],[],[],[]]";
  const OperatorWork bfloat = work_of("aten::_scaled_mm", shapes, types, R"(["","","","","","","15","True"])");
  expect_work(bfloat, 2 * 16 * 32 * 64, 16 * 32 + 32 * 64 + 2 * 16 * 64);
  EXPECT_EQ(bfloat.format, NumberFormat::fp8);
  const OperatorWork same = work_of("aten::_scaled_mm", shapes, types, R"(["","","","","","","","True"])");
  expect_work(same, 2 * 16 * 32 * 64, 16 * 32 + 32 * 64 + 16 * 64);
}

TEST(OperatorWork, KnowsNothingOfProductsThatDoNotFit) {
  expect_work(work_of("aten::mm", "[[3,5],[6,7]]", kHalves), {}, {});
  expect_work(work_of("aten::mm", "[[3,5]]", kHalves), {}, {});
  expect_work(work_of("aten::mm", "nonsense", ""), {}, {});
  expect_work(work_of("aten::mm", "[[3,5],[5,7]]", "[]"), 210, {});
  expect_work(work_of("aten::mm", "[[-3,5],[5,7]]", kHalves), {}, {});
}

constexpr std::string_view kCudnnTypes = R"(["float","float","ScalarList","ScalarList","ScalarList","Scalar"])";

TEST(OperatorWork, FindsTheResultOfAConvolutionByStridePaddingAndDilation) {
  // 10 + 2 * 1 - 2 * (3 - 1) - 1 = 7 and 7 / 2 + 1 = 4 places in each direction.
  const OperatorWork work = work_of("aten::cudnn_convolution", "[[2,6,10,10],[8,6,3,3],[],[],[],[]]", kCudnnTypes,
                                    R"(["","","[1, 1]","[2, 2]","[2, 2]","1"])");
  expect_work(work, 2.0 * 2 * 8 * 16 * 6 * 9, 4 * (2 * 6 * 100 + 8 * 6 * 9 + 2 * 8 * 16));
  EXPECT_EQ(work.kind, OperatorKind::convolution);
}

TEST(OperatorWork, CountsAGroupedConvolutionByTheChannelsOfAGroup) {
  const OperatorWork work = work_of("aten::cudnn_convolution", "[[2,6,10,10],[6,1,3,3],[],[],[],[]]", kCudnnTypes,
                                    R"(["","","[1]","[1]","[1]","6"])");
  expect_work(work, 2.0 * 2 * 6 * 100 * 1 * 9, 4 * (2 * 6 * 100 + 6 * 9 + 2 * 6 * 100));
}

TEST(OperatorWork, KnowsNothingOfAConvolutionWithoutStrides) {
  expect_work(work_of("aten::cudnn_convolution", "[[2,6,10,10],[8,6,3,3],[],[],[]]", kCudnnTypes), {}, {});
  expect_work(work_of("aten::cudnn_convolution", "[[2,6,10,10],[8,6,3,3],[],[],[]]", kCudnnTypes,
                      R"(["","","[0, 0]","[0, 0]","[1, 1]"])"),
              {}, {});
}

constexpr std::string_view kConvolutionTypes =
    R"(["float","float","float","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"])";

TEST(OperatorWork, CountsATransposedConvolutionByItsInput) {
  // Each of 5 places of the input meets the 3 * 4 * 2 weights; (5 - 1) * 2 + 1 * (2 - 1) + 1 = 10 places result.
  expect_work(work_of("aten::convolution", "[[1,3,5],[3,4,2],[4],[],[],[],[],[],[]]", kConvolutionTypes,
                      R"(["","","","[2]","[0]","[1]","True","[0]","1"])"),
              2.0 * 5 * 24, 4 * (15 + 24 + 4 + 40));
  expect_work(work_of("aten::convolution", "[[1,3,5],[4,3,2],[4],[],[],[],[],[],[]]", kConvolutionTypes,
                      R"(["","","","[1]","[0]","[1]","False","[0]","1"])"),
              2.0 * 4 * 4 * 3 * 2, 4 * (15 + 24 + 4 + 16));
}

constexpr std::string_view kBackwardTypes =
    R"(["float","float","float","ScalarList","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar","ScalarList"])";
constexpr std::string_view kBackwardShapes = "[[1,4,4],[1,3,5],[4,3,2],[],[],[],[],[],[],[],[]]";

TEST(OperatorWork, CountsABackwardConvolutionOnceForEachGradientOfAProduct) {
  const double once = 2.0 * 4 * 4 * 3 * 2;
  expect_work(work_of("aten::convolution_backward", kBackwardShapes, kBackwardTypes,
                      R"(["","","","[4]","[1]","[0]","[1]","False","[0]","1","[True, True, True]"])"),
              2 * once, 4 * (16 + 2 * (15 + 24) + 4));
  expect_work(work_of("aten::convolution_backward", kBackwardShapes, kBackwardTypes,
                      R"(["","","","[0]","[1]","[0]","[1]","False","[0]","1","[False, True, False]"])"),
              once, 4 * (16 + 15 + 24));
  expect_work(work_of("aten::convolution_backward", kBackwardShapes, kBackwardTypes), {}, {});
}

TEST(OperatorWork, TakesTheSizesOfCudnnsHalvesFromTheOperatorAroundThem) {
  const std::string_view types = R"(["float","float","float"])";
  const RelatedOperator around{"aten::cudnn_convolution_backward", inputs_of("[[1,3,5],[1,4,4],[4,3,2],[],[]]", types)};
  const OperatorInputs half = inputs_of("[[],[1,4,4],[4,3,2],[]]", R"(["GenericList","float","float"])");
  expect_work(operator_work("aten::cudnn_convolution_backward_input", half, around), 2.0 * 4 * 4 * 3 * 2,
              4 * (16 + 15 + 24));
  expect_work(operator_work("aten::cudnn_convolution_backward_weight", half), {}, {});
}

TEST(OperatorWork, TakesTheSizeOfAResultFromTheBackwardConvolution) {
  const std::string_view types = R"(["float","float","float"])";
  const OperatorInputs forward = inputs_of("[[1,3,5],[4,3,2],[],[],[]]", types);
  const auto work_with = [&](std::string_view name, std::string_view shapes) {
    return operator_work("aten::cudnn_convolution", forward, RelatedOperator{name, inputs_of(shapes, types)});
  };
  const double flop = 2.0 * 4 * 2 * 3 * 2;  // two places of the result: a stride of 3
  expect_work(work_with("aten::cudnn_convolution_backward", "[[1,3,5],[1,4,2],[4,3,2]]"), flop, 4 * (15 + 24 + 8));
  expect_work(work_with("aten::convolution_backward", "[[1,4,2],[1,3,5],[4,3,2]]"), flop, 4 * (15 + 24 + 8));
  expect_work(work_with("aten::convolution_backward", "[[1,5,2],[1,3,5],[4,3,2]]"), {}, {});
}

constexpr std::string_view kFlashTypes =
    R"(["c10::Half","c10::Half","c10::Half","","","Scalar","Scalar","Scalar","Scalar","Scalar"])";

TEST(OperatorWork, CountsTwoProductsOfAttentionAndHalfOfThemUnderACausalMask) {
  // 2 batches, 6 queries, 8 keys, 4 heads of 16 numbers.
  const std::string_view shapes = "[[2,6,4,16],[2,8,4,16],[2,8,4,16],[],[],[],[],[],[],[]]";
  const double scores = 2.0 * 4 * 6 * 8;
  const double bytes = 2 * (2 * (2 * 6 * 64) + 2 * (2 * 8 * 64));
  expect_work(work_of("aten::_flash_attention_forward", shapes, kFlashTypes,
                      R"(["","","","","","6","8","0.","False","False"])"),
              2 * scores * 32, bytes);
  expect_work(
      work_of("aten::_flash_attention_forward", shapes, kFlashTypes, R"(["","","","","","6","8","0.","True","False"])"),
      scores * 32, bytes);
  expect_work(work_of("aten::_flash_attention_forward", shapes, kFlashTypes), {}, bytes);
}

TEST(OperatorWork, CountsSharedKeysByTheHeadsOfTheQuery) {
  const std::string_view values = R"(["","","","0.","False","False"])";
  const std::string_view types = R"(["c10::Half","c10::Half","c10::Half","Scalar","Scalar","Scalar"])";
  expect_work(work_of("aten::_scaled_dot_product_flash_attention", "[[1,8,6,16],[1,2,6,16],[1,2,6,16],[],[],[]]", types,
                      values),
              2.0 * 8 * 6 * 6 * 32, 2 * (8 + 2 + 2 + 8) * 6 * 16);
}

TEST(OperatorWork, CountsFiveProductsOfBackwardAttention) {
  const std::string_view shapes = "[[1,4,6,16],[1,4,6,16],[1,4,6,16],[1,4,6,16],[1,4,6,16],[1,4,6,1]]";
  const std::string_view types = R"(["c10::Half","c10::Half","c10::Half","c10::Half","c10::Half","float"])";
  const std::string_view values = R"(["","","","","","","","","","","","6","6","0.","False",""])";
  OperatorWork work = operator_work(
      "aten::_cudnn_attention_backward",
      inputs_of(std::string(shapes.substr(0, shapes.size() - 1)) + ",[],[],[],[],[],[],[],[],[],[]]", types, values));
  expect_work(work, 5 * 2.0 * 4 * 6 * 6 * 16, 2 * 8 * 4 * 6 * 16);
}

TEST(OperatorWork, DoesNotKnowTheLengthsOfPackedSequences) {
  const OperatorWork work = work_of(
      "aten::_efficient_attention_forward", "[[1,6,4,16],[1,6,4,16],[1,6,4,16],[],[3],[3],[],[],[],[]]",
      R"(["float","float","float","","int","int","","","Scalar","Scalar"])", R"(["","","","","","","","","0.","0"])");
  expect_work(work, {}, 4 * 4 * 6 * 64);
}

TEST(OperatorWork, MovesEachTensorOfANormOnce) {
  expect_work(work_of("aten::native_layer_norm", "[[4,8],[],[8],[8],[]]",
                      R"(["c10::Half","ScalarList","c10::Half","c10::Half","Scalar"])"),
              {}, 2 * (32 + 8 + 8 + 32));
  expect_work(
      work_of("aten::native_batch_norm_backward", "[[2,4,3,3],[2,4,3,3],[4],[4],[4],[4],[4],[],[],[]]",
              R"(["c10::Half","c10::Half","float","float","float","float","float","Scalar","Scalar","ScalarList"])",
              R"(["","","","","","","","True","1e-05","[True, True, True]"])"),
      {}, 2 * 3 * 72 + 4 * 2 * 4);
  expect_work(work_of("aten::native_layer_norm_backward", "[[4,8],[4,8],[],[4,1],[4,1],[8],[8],[]]",
                      R"(["float","float","ScalarList","float","float","float","float","ScalarList"])",
                      R"(["","","[8]","","","","","[True, False, False]"])"),
              {}, 4 * (3 * 32 + 8));
}

TEST(OperatorWork, BroadcastsElementwiseOperators) {
  expect_work(work_of("aten::add", "[[2,3,4],[3,1],[]]", R"(["float","float","Scalar"])"), {}, 4 * (24 + 3 + 24));
  expect_work(work_of("aten::add", "[[2,3],[2,4],[]]", R"(["float","float","Scalar"])"), {}, {});
  expect_work(work_of("aten::eq", "[[6],[6]]", R"(["long int","long int"])"), {}, 6 * (8 + 8 + 1));
  expect_work(work_of("aten::add_", "[[6],[6],[]]", R"(["float","c10::Half","Scalar"])"), {}, 6 * (4 + 2 + 4));
  expect_work(work_of("aten::copy_", "[[6],[6],[]]", R"(["c10::Half","float","Scalar"])"), {}, 6 * (2 + 4));
  expect_work(work_of("aten::fill_", "[[6],[]]", R"(["float","Scalar"])"), {}, 24);
}

TEST(OperatorWork, ReducesTheDimensionsThatAreNamed) {
  const std::string_view types = R"(["float","ScalarList","Scalar",""])";
  expect_work(work_of("aten::sum", "[[4,8],[],[],[]]", types, R"(["","[0]","True",""])"), {}, 4 * (32 + 8));
  expect_work(work_of("aten::sum", "[[4,8],[],[],[]]", types, R"(["","[-1]","True",""])"), {}, 4 * (32 + 4));
  expect_work(work_of("aten::sum", "[[4,8],[],[],[]]", types, R"(["","[]","False",""])"), {}, 4 * (32 + 1));
  expect_work(work_of("aten::sum", "[[4,8],[],[],[]]", types), {}, {});
  expect_work(work_of("aten::argmax", "[[4,8],[],[]]", types, R"(["","1","False"])"), {}, 4 * 32 + 8 * 4);
}

TEST(OperatorWork, KnowsNothingOfOtherOperators) {
  EXPECT_EQ(work_of("aten::sort", "[[8]]", kFloats).kind, OperatorKind::other);
  EXPECT_EQ(work_of("mm", "[[3,5],[5,7]]", kHalves).kind, OperatorKind::other);
}

}  // namespace operator_work_test
}  // namespace sonde
