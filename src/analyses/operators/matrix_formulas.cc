#include <algorithm>

#include "analyses/operators/operator_formulas.h"

namespace sonde {
namespace {

/// Bytes of c10::ScalarType, by its number (c10/core/ScalarType.h).
MaybeAmount bytes_of_scalar_type(int64_t number) {
  switch (number) {
    case 5:
    case 15: return 2;  // Half, BFloat16
    case 6: return 4;
    case 7: return 8;
    case 23:
    case 24: return 1;  // Float8_e5m2, Float8_e4m3fn
    default: return {};
  }
}

MaybeAmount result_of(double count, const MaybeAmount& bytes) { return bytes ? count * *bytes : MaybeAmount(); }

MaybeAmount result_element(const OperatorInputs& x, const ProductInputs& at) {
  return at.result_bytes ? at.result_bytes : x.element_bytes(at.left);
}

}  // namespace

CallWork matrix_product(const OperatorInputs& x, const ProductInputs& at, bool batched) {
  const TensorShape* a = x.shape(at.left);
  const TensorShape* b = x.shape(at.right);
  const size_t rank = batched ? 3 : 2;
  if (a == nullptr || b == nullptr || a->size() != rank || b->size() != rank) return {};
  if (a->at(rank - 1) != b->at(rank - 2)) return {};
  const double rows = elements(*a) / std::max<double>(1, static_cast<double>(a->back()));
  const double results = rows * static_cast<double>(b->back());
  return {.flop = 2 * results * static_cast<double>(a->back()),
          .bytes = sum_of(
              {x.bytes(at.left), x.bytes(at.right), x.bytes(at.added), result_of(results, result_element(x, at))})};
}

CallWork matrix_vector_product(const OperatorInputs& x, const ProductInputs& at) {
  const TensorShape* a = x.shape(at.left);
  const TensorShape* b = x.shape(at.right);
  if (a == nullptr || b == nullptr || a->size() != 2 || b->size() != 1 || a->back() != b->back()) return {};
  return {.flop = 2 * elements(*a),
          .bytes = sum_of({x.bytes(at.left), x.bytes(at.right), x.bytes(at.added),
                           result_of(static_cast<double>(a->front()), result_element(x, at))})};
}

CallWork linear_layer(const OperatorInputs& x) {
  const TensorShape* a = x.shape(0);
  const TensorShape* weight = x.shape(1);
  if (a == nullptr || weight == nullptr || a->empty() || weight->size() != 2 || a->back() != weight->back()) return {};
  const double rows = elements(TensorShape(a->begin(), a->end() - 1));
  const double results = rows * static_cast<double>(weight->front());
  return {.flop = 2 * results * static_cast<double>(a->back()),
          .bytes = sum_of({x.bytes(0), x.bytes(1), x.bytes(2), result_of(results, x.element_bytes(0))})};
}

CallWork scaled_product(const OperatorInputs& x) {
  const auto type = x.number(6);
  const ProductInputs at{.added = 4, .result_bytes = type ? bytes_of_scalar_type(*type) : x.element_bytes(0)};
  CallWork work = matrix_product(x, at);
  if (!at.result_bytes) work.bytes.reset();
  return work;
}

}  // namespace sonde
