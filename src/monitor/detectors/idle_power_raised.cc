#include <algorithm>
#include <array>

#include "monitor/anomalies/baseline.h"
#include "monitor/anomalies/each_minute.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace idle_power_raised {
namespace {

/// Leakage moves idle power by a few watts with the temperature that the last job left.
constexpr double kMinWatts = 15;
constexpr double kMinShare = 0.2;
constexpr double kSpreads = 5;
constexpr size_t kMinutes = 30;
constexpr size_t kLearnHours = 3;
constexpr double kIdlePercent = 1;

/// Apart for a GPU that nobody holds and one that holds a context, which keeps clocks up.
struct Idle {
  Baseline usual{kLearnHours};
  Sustained higher;
  double watts = 0;
};
struct Kept {
  std::array<Idle, 2> idle;
};

void look_at_gpu(const Minute& minute, Kept& kept) {
  const std::optional<double> utilization = minute.utilization.value();
  const std::optional<double> watts = minute.watts.lowest();
  if (!utilization || *utilization >= kIdlePercent || !watts || !minute.held) return;
  Idle& idle = kept.idle.at(*minute.held ? 1 : 0);
  const double limit = std::max({kMinWatts, kMinShare * idle.usual.median(), kSpreads * idle.usual.spread()});
  idle.watts = *watts;
  idle.usual.add(*watts, limit);
  if (idle.usual.ready()) idle.higher.take((*watts - idle.usual.median()) / limit, {1, 0.5, kMinutes});
}

void look(const HostMinute& host, std::span<Kept> kept, std::vector<Observation>& found) {
  for (size_t i = 0; i < kept.size(); ++i) {
    if (host.gpus[i]) look_at_gpu(*host.gpus[i], kept[i]);
    const auto* const raised = std::ranges::find_if(kept[i].idle, [](const Idle& idle) { return idle.higher.on(); });
    if (raised == kept[i].idle.end()) continue;
    found.push_back(
        {.gpu = i,
         .severity = Severity::info,
         .text = "idle_power_raised",
         .arguments = {{"power", shown_watts(raised->watts)}, {"usual", shown_watts(raised->usual.median())}}});
  }
}

}  // namespace
}  // namespace idle_power_raised

extern const DetectorRow idle_power_raised_detector;
constinit const DetectorRow idle_power_raised_detector = {
    .name = "idle_power_raised",
    .description = "the idle GPU draws 15 W and 20 % more than usual",
    .clear_after_s = 60,
    .make = each_minute<idle_power_raised::Kept, idle_power_raised::look>,
    .severity = "info",
    .clears = "half of the excess is gone for 30 idle minutes",
};

}  // namespace sonde::monitor
