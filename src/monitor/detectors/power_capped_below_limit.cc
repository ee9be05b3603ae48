#include "monitor/anomalies/baseline.h"
#include "monitor/anomalies/each_minute.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace power_capped_below_limit {
namespace {

/// A GPU that its power limit holds down draws that limit, within 1 to 2 %.
constexpr SustainedLimits kLimits = {.on = 0.06, .off = 0.03, .minutes = 15};
constexpr size_t kLearnHours = 6;
constexpr int64_t kPowerCap = 0x4;  // NVML's bit: the power limit is reached

struct Kept {
  Baseline usual{kLearnHours};  ///< power as share of the limit in such minutes
  Sustained lower;
  double watts = 0;
  double limit = 0;
};

void look_at_gpu(const Minute& minute, Kept& kept) {
  const std::optional<double> watts = minute.watts.value();
  const bool capped = minute.busy() && minute.reasons_known && (minute.reasons_all & kPowerCap) != 0;
  if (!capped || !watts || minute.limit_watts.value_or(0) <= 0) return;
  const double share = *watts / *minute.limit_watts;
  kept.watts = *watts;
  kept.limit = *minute.limit_watts;
  kept.usual.add(share, kLimits.on * kept.usual.median());
  if (kept.usual.ready()) kept.lower.take(1 - share / kept.usual.median(), kLimits);
}

void look(const HostMinute& host, std::span<Kept> kept, std::vector<Observation>& found) {
  for (size_t i = 0; i < kept.size(); ++i) {
    if (host.gpus[i]) look_at_gpu(*host.gpus[i], kept[i]);
    if (!kept[i].lower.on()) continue;
    found.push_back({.gpu = i,
                     .text = "power_capped_below_limit",
                     .arguments = {{"power", shown_watts(kept[i].watts)}, {"limit", shown_watts(kept[i].limit)}}});
  }
}

}  // namespace
}  // namespace power_capped_below_limit

extern const DetectorRow power_capped_below_limit_detector;
constinit const DetectorRow power_capped_below_limit_detector = {
    .name = "power_capped_below_limit",
    .description = "the GPU reports throttling by its power limit, but draws 6 % less than it used to at that limit",
    .clear_after_s = 60,
    .make = each_minute<power_capped_below_limit::Kept, power_capped_below_limit::look>,
    .severity = "warning",
    .clears = "within 3 % for 15 minutes at the limit",
};

}  // namespace sonde::monitor
