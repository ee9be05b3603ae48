#include <algorithm>
#include <array>

#include "analyses/operators/operator_formulas.h"

namespace sonde {
namespace {

/// Batch, channels, and one to three dimensions; nullptr for anything else.
const TensorShape* image(const OperatorInputs& x, size_t i) {
  const TensorShape* shape = x.shape(i);
  return shape != nullptr && shape->size() >= 3 && shape->size() <= 5 ? shape : nullptr;
}

TensorShape behind(const TensorShape& shape, size_t count) {
  return {shape.begin() + static_cast<std::ptrdiff_t>(count), shape.end()};
}

/// Sizes so far apart that a product of them leaves 64 bits come from no tensor.
bool plausible(int64_t value) { return value >= -(int64_t{1} << 31) && value <= int64_t{1} << 31; }

bool all_plausible(const std::vector<int64_t>& values) { return std::ranges::all_of(values, plausible); }

using Sizes = std::optional<std::vector<int64_t>>;

Sizes dilation_of(const OperatorInputs& x, size_t at, size_t count) {
  return at == kNoInput ? Sizes(std::vector<int64_t>(count, 1)) : x.numbers(at, count);
}

bool usable(std::initializer_list<const Sizes*> lists) {
  return std::ranges::all_of(lists, [](const Sizes* list) { return *list && all_plausible(**list); });
}

/// The spatial dimensions of the result: torch.nn.Conv2d's formula.
std::optional<TensorShape> result_size(const OperatorInputs& x, const TensorShape& input, const TensorShape& weight,
                                       const ConvolutionInputs& at) {
  const size_t count = input.size() - 2;
  const Sizes stride = x.numbers(at.stride, count);
  const Sizes padding = x.numbers(at.padding, count);
  const Sizes dilation = dilation_of(x, at.dilation, count);
  if (!usable({&stride, &padding, &dilation}) || !all_plausible(input) || !all_plausible(weight)) return {};
  TensorShape size;
  for (size_t i = 0; i < count; ++i) {
    const int64_t room = input[i + 2] + 2 * (*padding)[i] - (*dilation)[i] * (weight[i + 2] - 1) - 1;
    if ((*stride)[i] <= 0 || room < 0) return {};
    size.push_back(room / (*stride)[i] + 1);
  }
  return size;
}

/// torch.nn.ConvTranspose2d's formula.
std::optional<TensorShape> transposed_size(const OperatorInputs& x, const TensorShape& input, const TensorShape& weight,
                                           const TransposedInputs& at) {
  const size_t count = input.size() - 2;
  const Sizes stride = x.numbers(at.stride, count);
  const Sizes padding = x.numbers(at.padding, count);
  const Sizes more = x.numbers(at.output_padding, count);
  const Sizes dilation = x.numbers(at.dilation, count);
  if (!usable({&stride, &padding, &more, &dilation}) || !all_plausible(input) || !all_plausible(weight)) return {};
  TensorShape size;
  for (size_t i = 0; i < count; ++i) {
    const int64_t d =
        (input[i + 2] - 1) * (*stride)[i] - 2 * (*padding)[i] + (*dilation)[i] * (weight[i + 2] - 1) + (*more)[i] + 1;
    if (d < 0) return {};
    size.push_back(d);
  }
  return size;
}

/// Bytes of a result with as many elements as given, of the type of the input.
MaybeAmount result_bytes(const OperatorInputs& x, double count) {
  const MaybeAmount element = x.element_bytes(0);
  return element ? count * *element : MaybeAmount();
}

/// FLOP of a forward pass: each place of `over` meets the whole weight once for each image.
double products(const TensorShape& over, const TensorShape& weight) {
  return 2 * static_cast<double>(over[0]) * elements(behind(over, 2)) * elements(weight);
}

struct Gradients {
  bool input;
  bool weight;
  bool bias;
};

struct BackwardInputs {
  size_t gradient;
  size_t input;
  size_t weight;
};

CallWork backward(const OperatorInputs& x, const BackwardInputs& at, const Gradients& wanted, bool transposed) {
  const TensorShape* gradient = image(x, at.gradient);
  const TensorShape* input = image(x, at.input);
  const TensorShape* weight = image(x, at.weight);
  if (gradient == nullptr || input == nullptr || weight == nullptr) return {};
  const double once = products(transposed ? *input : *gradient, *weight);
  const MaybeAmount element = x.element_bytes(at.gradient);
  const MaybeAmount both =
      sum_of({x.bytes(at.input), x.bytes(at.weight)});  // one of them read, the other's gradient written
  const double passes = (wanted.input ? 1 : 0) + (wanted.weight ? 1 : 0);
  MaybeAmount bytes;
  if (element && both) {
    bytes = *x.bytes(at.gradient) + passes * *both;
    if (wanted.bias) *bytes += static_cast<double>(gradient->at(1)) * *element;
  }
  return {.flop = once * passes, .bytes = bytes};
}

}  // namespace

CallWork convolution(const OperatorInputs& x, const ConvolutionInputs& at) {
  const TensorShape* input = image(x, 0);
  const TensorShape* weight = image(x, 1);
  if (input == nullptr || weight == nullptr || input->size() != weight->size()) return {};
  const auto size = result_size(x, *input, *weight, at);
  if (!size) return {};
  const double results = static_cast<double>(input->front()) * static_cast<double>(weight->front()) * elements(*size);
  return {.flop = 2 * results * elements(behind(*weight, 1)),
          .bytes = sum_of({x.bytes(0), x.bytes(1), x.bytes(at.bias), x.bytes(at.added), result_bytes(x, results)})};
}

CallWork convolution_with_result(const OperatorInputs& x, const TensorShape& result) {
  const TensorShape* input = image(x, 0);
  const TensorShape* weight = image(x, 1);
  if (input == nullptr || weight == nullptr || input->size() != weight->size() || result.size() != input->size()) {
    return {};
  }
  if (result[0] != input->at(0) || result[1] != weight->at(0)) return {};
  return {.flop = products(result, *weight),
          .bytes = sum_of({x.bytes(0), x.bytes(1), result_bytes(x, elements(result))})};
}

CallWork transposed_convolution(const OperatorInputs& x, const TransposedInputs& at) {
  const TensorShape* input = image(x, 0);
  const TensorShape* weight = image(x, 1);
  if (input == nullptr || weight == nullptr || input->size() != weight->size()) return {};
  CallWork work{.flop = products(*input, *weight), .bytes = {}};
  const auto size = transposed_size(x, *input, *weight, at);
  const auto groups = x.number(at.groups);
  if (!size || !groups) return work;
  const double results = static_cast<double>(input->front()) * static_cast<double>(weight->at(1)) *
                         static_cast<double>(*groups) * elements(*size);
  work.bytes = sum_of({x.bytes(0), x.bytes(1), x.bytes(at.bias), result_bytes(x, results)});
  return work;
}

CallWork any_convolution(const OperatorInputs& x) {
  const auto transposed = x.flag(6);
  if (!transposed) return {};
  if (!*transposed) return convolution(x, {.stride = 3, .padding = 4, .dilation = 5, .bias = 2});
  return transposed_convolution(
      x, {.stride = 3, .padding = 4, .output_padding = 7, .dilation = 5, .groups = 8, .bias = 2});
}

CallWork convolution_backward(const OperatorInputs& x) {
  const auto transposed = x.flag(7);
  auto wanted = x.flags(10);
  if (!transposed || !wanted) return {};
  wanted->resize(3, false);
  return backward(x, {.gradient = 0, .input = 1, .weight = 2}, {(*wanted)[0], (*wanted)[1], (*wanted)[2]}, *transposed);
}

CallWork cudnn_convolution_backward(const OperatorInputs& x, bool of_input) {
  return backward(x, {.gradient = 1, .input = 0, .weight = 2}, {of_input, !of_input, false}, false);
}

}  // namespace sonde
