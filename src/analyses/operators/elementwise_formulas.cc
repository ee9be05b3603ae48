#include <algorithm>
#include <set>

#include "analyses/operators/operator_formulas.h"

namespace sonde {
namespace {

/// The tensors among the first inputs of a call.
std::vector<size_t> tensors_of(const OperatorInputs& x, size_t inputs) {
  std::vector<size_t> tensors;
  for (size_t i = 0; i < std::min(inputs, x.size()); ++i) {
    if (x.shape(i) != nullptr) tensors.push_back(i);
  }
  return tensors;
}

/// PyTorch's rule: dimensions are compared from the last one; one of them is 1 or both are equal.
std::optional<TensorShape> broadcast(const OperatorInputs& x, const std::vector<size_t>& tensors) {
  TensorShape result;
  for (const size_t i : tensors) {
    const TensorShape& shape = *x.shape(i);
    if (shape.size() > result.size()) result.insert(result.begin(), shape.size() - result.size(), 1);
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t& into = result[result.size() - 1 - d];
      const int64_t size = shape[shape.size() - 1 - d];
      if (size == 1 || size == into) continue;
      if (into != 1) return std::nullopt;
      into = size;
    }
  }
  return result;
}

/// Type promotion, as far as it concerns bytes: tensors with dimensions decide over those without.
MaybeAmount promoted_bytes(const OperatorInputs& x, const std::vector<size_t>& tensors) {
  const bool any = std::ranges::any_of(tensors, [&](size_t i) { return !x.shape(i)->empty(); });
  double largest = 0;
  for (const size_t i : tensors) {
    if (any && x.shape(i)->empty()) continue;
    const MaybeAmount bytes = x.element_bytes(i);
    if (!bytes) return {};
    largest = std::max(largest, *bytes);
  }
  return largest;
}

MaybeAmount bytes_of(const OperatorInputs& x, const std::vector<size_t>& tensors) {
  MaybeAmount bytes = 0;
  for (const size_t i : tensors) bytes = sum_of({bytes, x.bytes(i)});
  return bytes;
}

/// Elements of the result of a reduction; absent where the dimensions are not known.
MaybeAmount reduced_elements(const OperatorInputs& x, const TensorShape& shape) {
  if (x.size() == 1) return 1;
  const auto dims = x.numbers(1);
  if (!dims) return {};
  if (dims->empty() || shape.empty()) return 1;
  const auto rank = static_cast<int64_t>(shape.size());
  std::set<int64_t> gone;
  for (const int64_t d : *dims) gone.insert(d < 0 ? d + rank : d);
  double left = 1;
  for (int64_t d = 0; d < rank; ++d) {
    if (!gone.contains(d)) left *= static_cast<double>(shape[static_cast<size_t>(d)]);
  }
  return left;
}

}  // namespace

CallWork elementwise(const OperatorInputs& x, size_t inputs, size_t result, MaybeAmount result_bytes) {
  const std::vector<size_t> tensors = tensors_of(x, inputs);
  const auto shape = broadcast(x, tensors);
  if (tensors.empty() || !shape) return {};
  MaybeAmount element = result_bytes ? result_bytes : promoted_bytes(x, tensors);
  if (x.shape(result) != nullptr) element = x.element_bytes(result);
  return {.flop = {}, .bytes = sum_of({bytes_of(x, tensors), element ? elements(*shape) * *element : MaybeAmount()})};
}

CallWork elementwise_in_place(const OperatorInputs& x, size_t inputs) {
  if (x.shape(0) == nullptr) return {};
  return {.flop = {}, .bytes = sum_of({bytes_of(x, tensors_of(x, inputs)), x.bytes(0)})};
}

CallWork copied(const OperatorInputs& x) {
  if (x.shape(0) == nullptr || x.shape(1) == nullptr) return {};
  return {.flop = {}, .bytes = sum_of({x.bytes(0), x.bytes(1)})};
}

CallWork filled(const OperatorInputs& x) {
  return {.flop = {}, .bytes = x.shape(0) == nullptr ? MaybeAmount() : x.bytes(0)};
}

CallWork reduced(const OperatorInputs& x, MaybeAmount result_bytes) {
  const TensorShape* shape = x.shape(0);
  if (shape == nullptr) return {};
  const MaybeAmount left = reduced_elements(x, *shape);
  const MaybeAmount element = result_bytes ? result_bytes : x.element_bytes(0);
  return {.flop = {}, .bytes = sum_of({x.bytes(0), left && element ? *left * *element : MaybeAmount()})};
}

}  // namespace sonde
