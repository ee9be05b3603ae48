#include "analyses/operators/operator_formulas.h"

namespace sonde {

CallWork norm_forward(const OperatorInputs& x, std::initializer_list<size_t> weights) {
  if (x.shape(0) == nullptr) return {};
  MaybeAmount bytes = sum_of({x.bytes(0), x.bytes(0)});
  for (const size_t weight : weights) bytes = sum_of({bytes, x.bytes(weight)});
  return {.flop = {}, .bytes = bytes};
}

CallWork norm_backward(const OperatorInputs& x, const NormBackwardInputs& at) {
  if (x.shape(at.gradient) == nullptr || x.shape(at.input) == nullptr) return {};
  auto wanted = at.wanted == kNoInput ? std::optional(std::vector<bool>(3, true)) : x.flags(at.wanted);
  if (!wanted) return {};
  wanted->resize(3, false);
  const auto if_wanted = [&](size_t which, size_t input) { return (*wanted)[which] ? x.bytes(input) : MaybeAmount(0); };
  return {.flop = {},
          .bytes = sum_of({x.bytes(at.gradient), x.bytes(at.input), x.bytes(at.weight), if_wanted(0, at.input),
                           if_wanted(1, at.weight), if_wanted(2, at.bias)})};
}

}  // namespace sonde
