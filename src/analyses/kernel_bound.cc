#include "analyses/kernel_bound.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "metrics/quantities.h"

namespace sonde {

KernelBound bound_of(const Trace& trace, const KernelProfile& kernel) {
  constexpr double kAtItsLimit = 80;
  constexpr double kLow = 60;
  constexpr double kClearLead = 10;
  const auto compute = quantity_value("compute_sol", trace, kernel);
  const auto memory = quantity_value("memory_sol", trace, kernel);
  if (!compute || !memory) return KernelBound::not_collected;
  const double most = std::max(*compute, *memory);
  const KernelBound leader = *compute > *memory ? KernelBound::compute : KernelBound::memory;
  if (most >= kAtItsLimit) return leader;
  if (most < kLow) {
    return quantity_value("waves", trace, kernel).value_or(1) < 1 ? KernelBound::small_grid : KernelBound::latency;
  }
  return std::abs(*compute - *memory) >= kClearLead ? leader : KernelBound::balanced;
}

std::string_view name_of(KernelBound bound) {
  constexpr std::array<std::string_view, 6> kNames = {"", "compute", "memory", "balanced", "latency", "small grid"};
  return kNames[static_cast<size_t>(bound)];
}

}  // namespace sonde
