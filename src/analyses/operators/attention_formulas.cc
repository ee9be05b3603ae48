#include "analyses/operators/operator_formulas.h"

namespace sonde {
namespace {

/// Query, key and value from input `first` on.
struct Heads {
  const TensorShape* query;
  const TensorShape* key;
  const TensorShape* value;
};

std::optional<Heads> heads_from(const OperatorInputs& x, size_t first) {
  const Heads heads{x.shape(first), x.shape(first + 1), x.shape(first + 2)};
  for (const TensorShape* shape : {heads.query, heads.key, heads.value}) {
    if (shape == nullptr || shape->size() != 4) return std::nullopt;
  }
  return heads;
}

/// Whether a causal mask leaves out half of the scores; absent where the trace does not say.
std::optional<bool> is_causal(const OperatorInputs& x, const AttentionInputs& at) {
  if (at.mask_argument == MaskArgument::is_causal) return x.flag(at.mask);
  const auto type = x.number(at.mask);
  return type ? std::optional(*type != 0) : std::nullopt;
}

/// Scores of all heads: those of the query, which may share keys and values.
MaybeAmount scores(const OperatorInputs& x, const Heads& heads, const AttentionInputs& at) {
  const auto causal = is_causal(x, at);
  if (!causal || x.shape(at.packed) != nullptr) return {};
  const size_t sequence = at.heads_first ? 2 : 1;
  const double all =
      elements({heads.query->begin(), heads.query->end() - 1}) * static_cast<double>(heads.key->at(sequence));
  return *causal ? all / 2 : all;
}

double length(const TensorShape& shape) { return static_cast<double>(shape.back()); }

}  // namespace

CallWork attention_forward(const OperatorInputs& x, const AttentionInputs& at) {
  const auto heads = heads_from(x, 0);
  if (!heads) return {};
  const MaybeAmount pairs = scores(x, *heads, at);
  const MaybeAmount element = x.element_bytes(0);
  const double results = elements({heads->query->begin(), heads->query->end() - 1}) * length(*heads->value);
  return {.flop = pairs ? 2 * *pairs * (length(*heads->query) + length(*heads->value)) : MaybeAmount(),
          .bytes = sum_of(
              {x.bytes(0), x.bytes(1), x.bytes(2), x.bytes(at.bias), element ? results * *element : MaybeAmount()})};
}

CallWork attention_backward(const OperatorInputs& x, const AttentionInputs& at) {
  const auto heads = heads_from(x, 1);
  if (!heads) return {};
  const MaybeAmount pairs = scores(x, *heads, at);
  const MaybeAmount element = x.element_bytes(1);
  const double results = elements(*heads->query) + elements(*heads->key) + elements(*heads->value);
  // Scores again, gradients of query and key: length of the query's heads. Gradients of scores and value: the value's.
  return {.flop = pairs ? 2 * *pairs * (3 * length(*heads->query) + 2 * length(*heads->value)) : MaybeAmount(),
          .bytes = sum_of({x.bytes(0), x.bytes(1), x.bytes(2), x.bytes(3), x.bytes(at.result), x.bytes(at.bias),
                           element ? results * *element : MaybeAmount()})};
}

}  // namespace sonde
