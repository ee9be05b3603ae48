#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// What a kernel computes, as far as its name tells.
enum class KernelClass : uint8_t {
  attention,  ///< in one kernel
  softmax,
  matrix_vector,
  matrix_tensor,   ///< matrix product or convolution on tensor cores
  matrix_float32,  ///< the same in float32, without them
  matrix,          ///< the same, the name not telling which
  elementwise,
  other,
};

[[nodiscard]] KernelClass kernel_class(std::string_view name);

/// The class of each row of `kernels`: kernel_class() once a name.
[[nodiscard]] std::vector<KernelClass> kernel_classes(const Trace& trace);

/// Products of matrices and attention: kernels that work from registers, so that few warps an SM suffice.
[[nodiscard]] bool is_dense_math(KernelClass kind);

}  // namespace sonde
