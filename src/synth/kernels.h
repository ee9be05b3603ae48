#pragma once

#include <cstdint>
#include <string>

#include "synth/program.h"

/// Kernels with times from their shapes, at rates that an H100 reaches on such work. Integers only: the same
/// everywhere.
namespace sonde::synth {

/// C (m x n) += A (m x k) B (k x n) in bfloat16.
[[nodiscard]] Kernel gemm_kernel(int64_t m, int64_t n, int64_t k);
[[nodiscard]] Kernel attention_kernel(bool backward);
/// Reads and writes `tensors` tensors of `elements` bfloat16 in all.
[[nodiscard]] Kernel elementwise_kernel(const std::string& functor, int64_t elements, int64_t tensors);
[[nodiscard]] Kernel norm_kernel(int64_t rows, int64_t columns, bool backward);
[[nodiscard]] Kernel softmax_kernel(int64_t rows, int64_t columns, bool backward);
[[nodiscard]] Kernel optimizer_kernel(int64_t parameters);
[[nodiscard]] Kernel allreduce_kernel(int64_t bytes, int gpus);

}  // namespace sonde::synth
