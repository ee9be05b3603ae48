#include "monitor/detectors/shared_counter.h"
#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_hysteresis.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace pcie_replays {
namespace {

/// DCGM's health watch fails from 8 replays a minute on (DCGM_LIMIT_MAX_PCIREPLAY_RATE).
constexpr double kMaxAMinute = 8;
constexpr double kWindowS = 300;

struct Kept {
  RecentGrowth replays;
  Hysteresis many;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  const auto total = gpu.reading == nullptr ? std::nullopt : gpu.reading->pcie_replays;
  const int64_t recent = kept.replays.take(total, kWindowS, gpu.round.moment_ns);
  constexpr double kMax = kMaxAMinute * kWindowS / 60;
  if (!kept.many.take(static_cast<double>(recent), {kMax, kMax / 4, 0, 0}, gpu.round.moment_ns)) return;
  found.push_back({.gpu = gpu.sample.gpu,
                   .severity = Severity::warning,
                   .text = "pcie_replays",
                   .arguments = {{"count", std::to_string(recent)},
                                 {"time", shown_time(kWindowS)},
                                 {"bus_id", gpu.sample.reading.pci_bus_id.value_or("-")}}});
}

}  // namespace
}  // namespace pcie_replays

extern constinit const DetectorRow pcie_replays_detector = {
    .name = "pcie_replays",
    .description = "more than 8 PCIe replays per minute over 5 min",
    .clear_after_s = 60,
    .make = each_gpu<pcie_replays::Kept, pcie_replays::look>,
    .severity = "warning",
    .clears = "at most 2 per minute over 5 min, for 1 min",
};

}  // namespace sonde::monitor
