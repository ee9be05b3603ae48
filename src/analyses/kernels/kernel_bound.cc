#include "analyses/kernels/kernel_bound.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "analyses/measured/busy_unit.h"
#include "metrics/quantities.h"

namespace sonde {
namespace {

constexpr double kAtItsLimit = 80;

}  // namespace

KernelBound bound_of(std::optional<double> compute, std::optional<double> memory, std::optional<double> waves) {
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
  const KernelBound bound = bound_of(value("compute_sol"), value("memory_sol"), value("waves"));
  const bool l1_at_limit = bound == KernelBound::latency && value("l1_sol").value_or(0) >= kAtItsLimit;
  return l1_at_limit ? KernelBound::memory : bound;
}

std::string bound_text(const Trace& trace, const KernelProfile& kernel) {
  const KernelBound bound = bound_of(trace, kernel);
  const auto memory = bound == KernelBound::memory ? busiest_memory(trace, kernel) : std::nullopt;
  const std::string_view part = memory ? name_of(memory->part) : std::string_view();
  return part.empty() ? std::string(name_of(bound)) : fmt::format("{} ({})", name_of(bound), part);
}

std::string_view name_of(KernelBound bound) {
  constexpr std::array<std::string_view, 6> kNames = {"", "compute", "memory", "balanced", "latency", "small grid"};
  return kNames[static_cast<size_t>(bound)];
}

}  // namespace sonde
