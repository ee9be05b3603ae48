#pragma once

#include <optional>
#include <vector>

#include "findings/facts.h"

namespace sonde {

/// Products of matrices at this part of the best rate that is known for their GPU and precision are at the limit.
/// gemm_saturated, whose GPU is always busy at its power limit, has 91 % (gpu_attainable.inc).
inline constexpr double kMathLimitPercent = 90;
/// The same of the memory's peak: copies and pointwise kernels on an H100 reach 85 to 92 %.
inline constexpr double kMemoryLimitPercent = 85;
/// Less of the time in which a GPU works leaves idle time to gain.
inline constexpr double kBusyPercent = 97;
/// Kernels at the limit take at least this part of the kernels' time.
inline constexpr double kAtLimitPercent = 90;

/// Operators of one kind, limited by one rate.
struct WorkAtLimit {
  OperatorKind kind = OperatorKind::other;
  MathPrecision precision = MathPrecision::unknown;  ///< unknown: memory limits them
  double time_percent = 0;                           ///< of the judged kernels' time
  double per_second = 0;                             ///< FLOP or bytes
  double limit_per_second = 0;
  double limit_percent = 0;
};

/// GPUs that are always busy, with kernels that cannot run faster.
struct GpuLimit {
  double percent = 0;             ///< of the limit, of the kernels in `work`
  std::vector<WorkAtLimit> work;  ///< the most time first
};

/// Absent where the GPUs do not work at their limit, or this is not known: then shapes or the GPU's rates are missing.
[[nodiscard]] std::optional<GpuLimit> gpu_limit(const Facts& facts);

}  // namespace sonde
