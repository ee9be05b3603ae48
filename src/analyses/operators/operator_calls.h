#pragma once

#include <vector>

#include "analyses/operators/gpu_peaks.h"
#include "analyses/operators/operator_work.h"
#include "trace/trace.h"

namespace sonde {

/// Calls of one operator with the same inputs, on one kind of GPU and with kernels of one precision.
struct OperatorShape {
  NameId name = kNone;
  NameId inputs = kNone;            ///< as recorded (trace/recorded_inputs.h)
  const GpuPeaks* peaks = nullptr;  ///< nullptr: unknown GPU
  MathPrecision precision = MathPrecision::unknown;
  OperatorWork work;          ///< of a call
  MaybeAmount roofline_ns;    ///< of a call: the least time that the GPU's peaks allow
  bool memory_bound = false;  ///< whether memory decides it
  int64_t calls = 0;
  int64_t kernels = 0;
  int64_t kernel_ns = 0;  ///< sum of their durations
};

struct OperatorCall {
  Row range = kNone;
  uint32_t shape = kNone;
  int64_t kernels = 0;
  int64_t kernel_ns = 0;
};

/// The operators of a run that launched kernels. A kernel belongs to the innermost operator around its launching call
/// whose input shapes were recorded.
struct OperatorCalls {
  std::vector<OperatorShape> shapes;
  std::vector<OperatorCall> calls;
  Ids of_kernel;  ///< row of `calls` for each kernel; kNone outside any

  /// The least time of a kernel's call over what its kernels took; absent where it is not known.
  [[nodiscard]] MaybeAmount roofline_part(Row kernel) const;
};

inline constexpr Fields kOperatorFields{Field::kernels, Field::streams, Field::launches,
                                        Field::api,     Field::ranges,  Field::range_links};

[[nodiscard]] OperatorCalls operator_calls(const Trace& trace);

}  // namespace sonde
