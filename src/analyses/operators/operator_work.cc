#include "analyses/operators/operator_work.h"

#include <algorithm>
#include <array>

namespace sonde {
namespace {

struct OperatorModel {
  std::string_view name;
  OperatorKind kind;
  CallWork (*work)(const OperatorInputs& x);
};

constexpr auto kOperatorModels = std::to_array<OperatorModel>({
#define SONDE_OPERATOR(name, kind, ...) \
  {name, OperatorKind::kind, [](const OperatorInputs& x) -> CallWork { return __VA_ARGS__; }},
#include "analyses/operators/operator_models.inc"
#undef SONDE_OPERATOR
});

constexpr std::string_view kInputGradient = "aten::cudnn_convolution_backward_input";
constexpr std::string_view kWeightGradient = "aten::cudnn_convolution_backward_weight";
constexpr std::string_view kCudnnBackward = "aten::cudnn_convolution_backward";

/// The one format of the first two tensors with at least two dimensions: biases and saved statistics do not multiply.
NumberFormat format_of(const OperatorInputs& x) {
  NumberFormat first = NumberFormat::unknown;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x.shape(i) == nullptr || x.shape(i)->size() < 2) continue;
    if (first != NumberFormat::unknown) return x.format(i) == first ? first : NumberFormat::unknown;
    first = x.format(i);
  }
  return first;
}

OperatorWork backward_half(std::string_view name, const std::optional<RelatedOperator>& around) {
  OperatorWork result{.kind = OperatorKind::convolution, .work = {}};
  if (!around || around->name != kCudnnBackward) return result;
  result.work = cudnn_convolution_backward(around->inputs, name == kInputGradient);
  result.format = format_of(around->inputs);
  return result;
}

/// The gradient that a backward convolution receives has the shape of the forward one's result.
CallWork forward_work(const OperatorInputs& inputs, const RelatedOperator& backward) {
  const TensorShape* gradient = backward.inputs.shape(backward.name == kCudnnBackward ? 1 : 0);
  return gradient == nullptr ? CallWork() : convolution_with_result(inputs, *gradient);
}

}  // namespace

std::string_view kind_name(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::matrix: return "matrix product";
    case OperatorKind::convolution: return "convolution";
    case OperatorKind::attention: return "attention";
    case OperatorKind::norm: return "norm";
    case OperatorKind::elementwise: return "elementwise";
    case OperatorKind::reduction: return "reduction";
    case OperatorKind::other: break;
  }
  return "other";
}

bool counts_flop(OperatorKind kind) {
  return kind == OperatorKind::matrix || kind == OperatorKind::convolution || kind == OperatorKind::attention;
}

bool needs_operator_around(std::string_view name) { return name == kInputGradient || name == kWeightGradient; }

bool is_cudnn_convolution(std::string_view name) { return name == "aten::cudnn_convolution"; }

bool is_backward_convolution(std::string_view name) {
  return name == kCudnnBackward || name == "aten::convolution_backward";
}

OperatorWork operator_work(std::string_view name, const OperatorInputs& inputs,
                           const std::optional<RelatedOperator>& related) {
  if (needs_operator_around(name)) return backward_half(name, related);
  constexpr std::string_view kPrefix = "aten::";
  if (!name.starts_with(kPrefix)) return {};
  const auto* const model = std::ranges::find(kOperatorModels, name.substr(kPrefix.size()), &OperatorModel::name);
  if (model == kOperatorModels.end()) return {};
  OperatorWork work{.kind = model->kind, .work = model->work(inputs), .format = format_of(inputs)};
  if (related && is_cudnn_convolution(name) && !work.work.flop) work.work = forward_work(inputs, *related);
  return work;
}

}  // namespace sonde
