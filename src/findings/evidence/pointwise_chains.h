#pragma once

#include <optional>
#include <vector>

#include "findings/rule.h"

/// Chains of pointwise kernels bound by memory, each of which reads what the one before wrote.
namespace sonde {

/// Two are what eager code has everywhere: a residual addition and an activation.
inline constexpr size_t kShortestChain = 3;
/// Of the memory's peak; kernels below a third are those of below_roofline.
/// Kernels of PyTorch 2.11 over large tensors reach 85 to 90 % on an H100.
inline constexpr double kMemoryBoundPercent = 33;

struct PointwiseChain {
  std::vector<Row> kernels;
  int64_t now_ns = 0;
  int64_t fused_ns = 0;         ///< the least time of one kernel that does the same
  std::optional<double> bytes;  ///< that need not pass through memory; absent without shapes
};

/// By the first kernel's row. Kernels of `claims` are in none.
[[nodiscard]] std::vector<PointwiseChain> pointwise_chains(const Facts& facts, const Claims& claims);

}  // namespace sonde
