#include "analyses/kernels/kernel_bound.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "metrics/quantities.h"

namespace sonde {

KernelBound bound_of(std::optional<double> compute, std::optional<double> memory, std::optional<double> waves) {
  constexpr double kAtItsLimit = 80;
  constexpr double kLow = 60;
  constexpr double kClearLead = 10;
  if (!compute || !memory) return KernelBound::not_collected;
  const double most = std::max(*compute, *memory);
  const KernelBound leader = *compute > *memory ? KernelBound::compute : KernelBound::memory;
  if (most >= kAtItsLimit) return leader;
  if (most < kLow) return waves.value_or(1) < 1 ? KernelBound::small_grid : KernelBound::latency;
  return std::abs(*compute - *memory) >= kClearLead ? leader : KernelBound::balanced;
}

KernelBound bound_of(const Trace& trace, const KernelProfile& kernel) {
  const auto value = [&](std::string_view quantity) { return quantity_value(quantity, trace, kernel); };
  return bound_of(value("compute_sol"), value("memory_sol"), value("waves"));
}

std::string_view name_of(KernelBound bound) {
  constexpr std::array<std::string_view, 6> kNames = {"", "compute", "memory", "balanced", "latency", "small grid"};
  return kNames[static_cast<size_t>(bound)];
}

}  // namespace sonde
