#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/kernels/memory_traffic.h"
#include "trace/trace.h"

/// How close a measured launch is to what its GPU can compute and move. Formulas and sources:
/// docs/profiles/kernel_views.md.
namespace sonde {

/// Arithmetic of one kind: FP32, FP64, FP16 of scalar instructions, or one type of the tensor cores'.
struct Arithmetic {
  std::string kind;     ///< "FP32", "tensor fp16_dst_fp32"
  bool tensor = false;  ///< scalar counters leave out what tensor cores do
  std::optional<double> flop_per_second;
  std::optional<double> ceiling_flop_per_second;
};

/// FP32, FP64, FP16 where all of their counters are there, then the counters of tensor cores. A tensor type can be
/// there twice, as a whole and by instruction: such rows must not be added.
[[nodiscard]] std::vector<Arithmetic> arithmetic_of(const Trace& trace, const KernelProfile& kernel);

/// Busy time of the tensor pipe in percent; absent where none of its metrics was collected.
[[nodiscard]] std::optional<double> tensor_pipe_percent(const Trace& trace, const KernelProfile& kernel);

/// All FLOP of a launch, of the kinds that were counted; absent where none was, or where the tensor pipe was busy and
/// what it did was not counted. Rows of tensor cores that tell of the same work a second time are not added.
[[nodiscard]] std::optional<double> flop_of(const Trace& trace, const KernelProfile& kernel);

/// FLOP a byte; absent where one of the rates is not known or there is no traffic.
[[nodiscard]] std::optional<double> arithmetic_intensity(const Arithmetic& arithmetic, const MemoryTraffic& traffic);

struct RooflinePoint {
  std::optional<double> flop_per_byte;
  std::optional<double> ridge_flop_per_byte;  ///< from here on the arithmetic is the roof
  std::optional<double> percent_of_roof;      ///< of the lower of both roofs at this intensity
  std::optional<bool> bound_by_memory;        ///< whether that one is the memory's
};

[[nodiscard]] RooflinePoint roofline_point(const Arithmetic& arithmetic, const MemoryTraffic& traffic);

}  // namespace sonde
