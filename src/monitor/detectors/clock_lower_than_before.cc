#include "monitor/anomalies/baseline.h"
#include "monitor/anomalies/each_minute.h"

namespace sonde::monitor {
namespace clock_lower_than_before {
namespace {

/// A clock that nothing holds down is the highest there is, whatever runs; warm chips lose 1 % of it.
constexpr SustainedLimits kLimits = {.on = 0.04, .off = 0.02, .minutes = 15};
constexpr size_t kLearnHours = 6;
constexpr int64_t kIdle = 0x1;  // the only reason that may be given: NVML's bit for "nothing runs"

struct Kept {
  Baseline usual{kLearnHours};
  Sustained lower;
  double clock_mhz = 0;
};

void look_at_gpu(const Minute& minute, Kept& kept) {
  const std::optional<double> clock = minute.clock_mhz.value();
  const bool free = minute.busy() && minute.reasons_known && (minute.reasons_any & ~kIdle) == 0;
  if (!free || !clock || *clock <= 0) return;
  kept.clock_mhz = *clock;
  kept.usual.add(*clock, kLimits.on * kept.usual.median());
  if (kept.usual.ready()) kept.lower.take(1 - *clock / kept.usual.median(), kLimits);
}

void look(const HostMinute& host, std::span<Kept> kept, std::vector<Observation>& found) {
  for (size_t i = 0; i < kept.size(); ++i) {
    if (host.gpus[i]) look_at_gpu(*host.gpus[i], kept[i]);
    if (!kept[i].lower.on()) continue;
    found.push_back({.gpu = i,
                     .text = "clock_lower_than_before",
                     .arguments = {{"clock", shown_number(kept[i].clock_mhz, "MHz")},
                                   {"usual", shown_number(kept[i].usual.median(), "MHz")}}});
  }
}

}  // namespace
}  // namespace clock_lower_than_before

extern const DetectorRow clock_lower_than_before_detector;
constinit const DetectorRow clock_lower_than_before_detector = {
    .name = "clock_lower_than_before",
    .description =
        "under full utilization the SM clock is 4 % lower than usual for this GPU, without a clocks event reason",
    .clear_after_s = 60,
    .make = each_minute<clock_lower_than_before::Kept, clock_lower_than_before::look>,
    .severity = "warning",
    .clears = "within 2 % for 15 minutes of full utilization",
};

}  // namespace sonde::monitor
