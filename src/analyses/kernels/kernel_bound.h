#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace sonde {

/// What bounds a kernel, by how much of the compute units and of the memory system it uses, with the thresholds of
/// Nsight Compute's bottleneck rule: at 80 % and more a unit is at its limit; below 60 % neither is, and the kernel
/// waits (latency), or its grid is too small for the GPU; between, the one that leads by 10 points.
enum class KernelBound : uint8_t { not_collected, compute, memory, balanced, latency, small_grid };

/// From speed of light in percent and blocks of the grid by those that fit at once, each where it was collected.
[[nodiscard]] KernelBound bound_of(std::optional<double> compute_sol, std::optional<double> memory_sol,
                                   std::optional<double> waves);
/// The same; beside it, an L1 at its limit is a bound by memory: the speed of light of memory leaves out parts of L1.
[[nodiscard]] KernelBound bound_of(const Trace& trace, const KernelProfile& kernel);
/// "memory (DRAM)", "latency": of memory with the busiest part. Empty for not_collected.
[[nodiscard]] std::string bound_text(const Trace& trace, const KernelProfile& kernel);
/// "memory", "small grid"; empty for not_collected.
[[nodiscard]] std::string_view name_of(KernelBound bound);

}  // namespace sonde
