#pragma once

#include <optional>
#include <string_view>

#include "analyses/operators/operator_formulas.h"

namespace sonde {

/// What an operator computes, as far as a model of its work is concerned.
enum class OperatorKind : uint8_t { matrix, convolution, attention, norm, elementwise, reduction, other };

/// In the words of a table: "matrix product".
[[nodiscard]] std::string_view kind_name(OperatorKind kind);

struct OperatorWork {
  OperatorKind kind = OperatorKind::other;
  CallWork work;
  NumberFormat format = NumberFormat::unknown;  ///< of the tensors that it multiplies; unknown where they differ
};

/// Whether work is counted in FLOP: such an operator without known FLOP has no roofline.
[[nodiscard]] bool counts_flop(OperatorKind kind);

/// Another operator whose inputs tell what the work of a call is.
struct RelatedOperator {
  std::string_view name;
  OperatorInputs inputs;
};

/// The halves of a backward convolution in PyTorch 1.5 to 1.10, whose sizes only the operator around them has.
[[nodiscard]] bool needs_operator_around(std::string_view name);

/// The operators of convolutions whose backward operator can tell the size of the result, if the trace has no strides;
/// and these backward operators.
[[nodiscard]] bool is_cudnn_convolution(std::string_view name);
[[nodiscard]] bool is_backward_convolution(std::string_view name);

/// What a call does. `name` is an operator's full name, "aten::mm"; `related` is the operator around it or its backward
/// operator, for those that need one.
[[nodiscard]] OperatorWork operator_work(std::string_view name, const OperatorInputs& inputs,
                                         const std::optional<RelatedOperator>& related = {});

}  // namespace sonde
