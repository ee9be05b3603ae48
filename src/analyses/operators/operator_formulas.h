#pragma once

#include <initializer_list>

#include "analyses/operators/operator_inputs.h"

/// Floating-point operations and bytes of a call from the shapes of its inputs. A multiplication and an addition are
/// two operations. Bytes are those that no algorithm avoids: each input read once, each result written once.
/// Definitions and sources: docs/profiles/operators.md. Arguments named after inputs are positions in the operator's
/// signature.
namespace sonde {

struct CallWork {
  MaybeAmount flop;
  MaybeAmount bytes;
};

// Products of matrices

struct ProductInputs {
  size_t left = 0;
  size_t right = 1;
  size_t added = kNoInput;
  MaybeAmount result_bytes = {};  ///< of an element; that of the left matrix unless given
};

/// [m, k] x [k, n], with one leading dimension each if `batched`.
[[nodiscard]] CallWork matrix_product(const OperatorInputs& x, const ProductInputs& at, bool batched = false);
/// [m, k] x [k].
[[nodiscard]] CallWork matrix_vector_product(const OperatorInputs& x, const ProductInputs& at);
/// [..., k] x [n, k] transposed, as aten::linear has them.
[[nodiscard]] CallWork linear_layer(const OperatorInputs& x);
/// aten::_scaled_mm: a type of the result may be given.
[[nodiscard]] CallWork scaled_product(const OperatorInputs& x);

// Convolutions: input [n, c, ...] and weight [k, c / groups, ...] are inputs 0 and 1

struct ConvolutionInputs {
  size_t stride;
  size_t padding;
  size_t dilation;  ///< kNoInput: none
  size_t bias = kNoInput;
  size_t added = kNoInput;  ///< a tensor that is added to the result
};
[[nodiscard]] CallWork convolution(const OperatorInputs& x, const ConvolutionInputs& at);

struct TransposedInputs {
  size_t stride;
  size_t padding;
  size_t output_padding;
  size_t dilation;
  size_t groups;
  size_t bias = kNoInput;
};
/// Weight [c, k / groups, ...].
[[nodiscard]] CallWork transposed_convolution(const OperatorInputs& x, const TransposedInputs& at);
/// aten::convolution and aten::_convolution: of either kind.
[[nodiscard]] CallWork any_convolution(const OperatorInputs& x);
[[nodiscard]] CallWork convolution_backward(const OperatorInputs& x);
/// Without strides, but with the size of the result as another operator received it.
[[nodiscard]] CallWork convolution_with_result(const OperatorInputs& x, const TensorShape& result);
/// One of the two halves of aten::cudnn_convolution_backward(input, gradient, weight, ...).
[[nodiscard]] CallWork cudnn_convolution_backward(const OperatorInputs& x, bool of_input);

// Attention

enum class MaskArgument : uint8_t { is_causal, mask_type };  ///< a flag; 0 for none, 1 and 2 for causal masks

struct AttentionInputs {
  bool heads_first;  ///< [batch, heads, sequence, length], else [batch, sequence, heads, length]
  size_t mask;
  MaskArgument mask_argument = MaskArgument::is_causal;
  size_t bias = kNoInput;
  size_t packed = kNoInput;  ///< offsets of sequences of different lengths in one
  size_t result = kNoInput;  ///< of a backward operator: the forward one's result
};
/// Query, key and value are the first three inputs.
[[nodiscard]] CallWork attention_forward(const OperatorInputs& x, const AttentionInputs& at);
/// Gradient, query, key and value are the first four inputs.
[[nodiscard]] CallWork attention_backward(const OperatorInputs& x, const AttentionInputs& at);

// Norms: bytes only

[[nodiscard]] CallWork norm_forward(const OperatorInputs& x, std::initializer_list<size_t> weights);

struct NormBackwardInputs {
  size_t gradient;
  size_t input;
  size_t weight;
  size_t bias = kNoInput;
  size_t wanted = kNoInput;  ///< flags: which gradients are computed; all without them
};
[[nodiscard]] CallWork norm_backward(const OperatorInputs& x, const NormBackwardInputs& at);

// Elementwise operators and reductions: bytes only

/// The tensors among the first `inputs`, broadcast. A result that the caller passes is input `result`.
[[nodiscard]] CallWork elementwise(const OperatorInputs& x, size_t inputs, size_t result = kNoInput,
                                   MaybeAmount result_bytes = {});
/// The same, written to input 0.
[[nodiscard]] CallWork elementwise_in_place(const OperatorInputs& x, size_t inputs);
/// aten::copy_(destination, source).
[[nodiscard]] CallWork copied(const OperatorInputs& x);
[[nodiscard]] CallWork filled(const OperatorInputs& x);
/// Input 0 over the dimensions of input 1, all of them if it is the only input or its list is empty.
[[nodiscard]] CallWork reduced(const OperatorInputs& x, MaybeAmount result_bytes = {});

}  // namespace sonde
