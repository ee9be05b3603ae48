#include "monitor/anomalies/baseline.h"
#include "monitor/anomalies/each_minute.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace power_limit_below_equals {
namespace {

/// A limit is a setting, without noise: 3 % is less than anybody sets on purpose. That all were lowered is no anomaly:
/// an operator means it.
constexpr SustainedLimits kLimits = {.on = 0.03, .off = 0.02, .minutes = 10};
constexpr size_t kFewestOthers = 3;

struct Kept {
  Sustained lower;
  double watts = 0;
  double expected = 0;
};

/// The limit of most equals; absent where there are few.
std::optional<double> limit_of_equals(const HostMinute& host, size_t gpu) {
  std::vector<double> others;
  for (const size_t other : equals_of(host.round, gpu)) {
    const bool known = other != gpu && host.gpus[other] && host.gpus[other]->limit_watts;
    if (known) others.push_back(*host.gpus[other]->limit_watts);
  }
  return others.size() < kFewestOthers ? std::nullopt : std::optional(median_of(others));
}

void look_at_gpu(const HostMinute& host, size_t gpu, Kept& kept) {
  const std::optional<double> limit = host.gpus[gpu]->limit_watts;
  if (!limit || *limit <= 0) return;
  const std::optional<double> equals = limit_of_equals(host, gpu);
  if (!equals) return;
  kept.watts = *limit;
  kept.expected = *equals;
  kept.lower.take(1 - *limit / kept.expected, kLimits);
}

void look(const HostMinute& host, std::span<Kept> kept, std::vector<Observation>& found) {
  for (size_t i = 0; i < kept.size(); ++i) {
    if (host.gpus[i]) look_at_gpu(host, i, kept[i]);
    if (!kept[i].lower.on()) continue;
    found.push_back({.gpu = i,
                     .text = "power_limit_below_equals",
                     .arguments = {{"limit", shown_watts(kept[i].watts)}, {"equals", shown_watts(kept[i].expected)}}});
  }
}

}  // namespace
}  // namespace power_limit_below_equals

extern const DetectorRow power_limit_below_equals_detector;
constinit const DetectorRow power_limit_below_equals_detector = {
    .name = "power_limit_below_equals",
    .description = "the enforced power limit is 3 % lower than that of the host's other GPUs of the same model",
    .clear_after_s = 60,
    .make = each_minute<power_limit_below_equals::Kept, power_limit_below_equals::look>,
    .severity = "warning",
    .clears = "within 2 % for 10 minutes",
};

}  // namespace sonde::monitor
