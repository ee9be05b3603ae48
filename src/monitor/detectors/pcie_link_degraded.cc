#include <algorithm>

#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_hysteresis.h"

namespace sonde::monitor {
namespace pcie_link_degraded {
namespace {

/// An idle link trains down to save power. From this use on it has to be at its full generation.
constexpr int64_t kBusyPercent = 20;
/// A link that trains again is narrow for a moment.
constexpr double kWidthAfterS = 20;
constexpr double kGenerationAfterS = 60;

struct Kept {
  Hysteresis narrow;
  Hysteresis slow;
};

std::optional<double> is_below(const std::optional<int64_t>& now, const std::optional<int64_t>& max) {
  if (!now || !max || *now <= 0) return std::nullopt;
  return *now < *max ? 1 : 0;
}

std::string shown(const std::optional<int64_t>& value) { return value ? std::to_string(*value) : "-"; }

void add_observation(const GpuLook& gpu, std::string subject, std::vector<Observation>& found) {
  const device::GpuReading& reading = gpu.sample.reading;
  found.push_back({.gpu = gpu.sample.gpu,
                   .subject = subject,
                   .severity = Severity::warning,
                   .text = "pcie_" + subject,
                   .arguments = {{"width", shown(reading.pcie_width)},
                                 {"max_width", shown(reading.pcie_max_width)},
                                 {"generation", shown(reading.pcie_generation)},
                                 {"max_generation", shown(reading.pcie_max_generation)},
                                 {"bus_id", reading.pci_bus_id.value_or("-")}}});
}

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  std::optional<double> narrow;
  std::optional<double> slow;
  if (gpu.reading != nullptr) {
    const device::GpuReading& reading = *gpu.reading;
    narrow = is_below(reading.pcie_width, reading.pcie_max_width);
    const bool busy = reading.gpu_utilization_percent.value_or(0) >= kBusyPercent;
    if (busy) slow = is_below(reading.pcie_generation, reading.pcie_max_generation);
  }
  // The generation is read seldom: what was read when the GPU was idle still stands there for a while.
  const double generation_after_s = std::max(kGenerationAfterS, 2 * gpu.round.config->gpu.health_check_interval);
  if (kept.narrow.take(narrow, {0.5, 0.5, kWidthAfterS, 0}, gpu.round.moment_ns)) add_observation(gpu, "width", found);
  if (kept.slow.take(slow, {0.5, 0.5, generation_after_s, 0}, gpu.round.moment_ns))
    add_observation(gpu, "generation", found);
}

}  // namespace
}  // namespace pcie_link_degraded

extern constinit const DetectorRow pcie_link_degraded_detector = {
    .name = "pcie_link_degraded",
    .description =
        "the PCIe link has fewer lanes than GPU and slot support for 20 s, or a lower generation during 1 min of work "
        "(and two health checks); idle links normally use a lower generation",
    .clear_after_s = 60,
    .make = each_gpu<pcie_link_degraded::Kept, pcie_link_degraded::look>,
    .severity = "warning",
    .clears = "full width, or under load full generation, for 1 min",
};

}  // namespace sonde::monitor
