#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "device/fields.h"
#include "monitor/anomalies/baseline.h"
#include "monitor/anomalies/each_minute.h"

namespace sonde::monitor {
namespace clock_below_equals {
namespace {

/// Chips of one product differ by 2 to 3 % in clock under one load at one power.
constexpr SustainedLimits kLimits = {.on = 0.07, .off = 0.04, .minutes = 20};
/// Equals are busy GPUs of the same product that nothing holds down, or that have the same work: their processes
/// started within 3 minutes of each other (the ranks of one job do), and use themselves and memory alike. At a power
/// limit 3 % more use costs 1.5 % of the clock.
constexpr int64_t kTogetherNs = 180'000'000'000;
constexpr double kUsePercent = 3;
constexpr double kMemoryPercent = 5;
constexpr double kMemoryShare = 0.1;
constexpr size_t kFewestOthers = 3;      // fewer may be a job of their own that happens to look alike
constexpr int64_t kNotThrottling = 0x3;  // idle, application clocks: NVML's bits that are no slowdown
constexpr int64_t kIdle = 0x1;

struct Kept {
  Sustained lower;
  int64_t work_since_ns = 0;
  double clock_mhz = 0;
  double equals_mhz = 0;
  int64_t reasons = 0;
  size_t equals = 0;
};

bool alike(std::optional<double> a, std::optional<double> b, double share, double min) {
  if (!a || !b) return !a && !b;
  return std::abs(*a - *b) <= std::max(min, share * std::max(*a, *b));
}

/// Nothing holds its clock down: it is the highest there is, whatever runs.
bool is_free(const Minute& minute) { return minute.reasons_known && (minute.reasons_any & ~kIdle) == 0; }

bool same_work(const Minute& a, const Minute& b) {
  return std::abs(a.work_since_ns - b.work_since_ns) <= kTogetherNs &&
         alike(a.utilization.value(), b.utilization.value(), 0, kUsePercent) &&
         alike(a.memory_utilization.value(), b.memory_utilization.value(), 0, kMemoryPercent) &&
         alike(a.memory_used_bytes, b.memory_used_bytes, kMemoryShare, 0);
}

bool comparable(const Minute& a, const Minute& b) {
  return b.busy() && ((is_free(a) && is_free(b)) || same_work(a, b));
}

void look_at_gpu(const HostMinute& host, size_t gpu, Kept& kept) {
  const Minute& own = *host.gpus[gpu];
  const std::optional<double> clock = own.clock_mhz.value();
  if (!own.busy() || !clock || !own.held.value_or(false)) return;
  std::vector<double> clocks;
  int64_t common_reasons = 0;
  for (const size_t other : equals_of(host.round, gpu)) {
    if (other == gpu || !host.gpus[other] || !comparable(own, *host.gpus[other])) continue;
    if (const auto value = host.gpus[other]->clock_mhz.value()) clocks.push_back(*value);
    common_reasons |= host.gpus[other]->reasons_any;
  }
  if (clocks.size() < kFewestOthers) return;
  // Minutes of another job say nothing of this one.
  if (kept.work_since_ns != own.work_since_ns && !kept.lower.on()) kept.lower = {};
  kept.work_since_ns = own.work_since_ns;
  kept.equals = clocks.size();
  kept.clock_mhz = *clock;
  kept.equals_mhz = median_of(clocks);
  kept.reasons = own.reasons_any & ~common_reasons & ~kNotThrottling;
  kept.lower.take(1 - *clock / kept.equals_mhz, kLimits);
}

void look(const HostMinute& host, std::span<Kept> kept, std::vector<Observation>& found) {
  for (size_t i = 0; i < kept.size(); ++i) {
    if (host.gpus[i]) look_at_gpu(host, i, kept[i]);
    if (!kept[i].lower.on()) continue;
    const std::string reasons = device::clock_reasons_text(kept[i].reasons);
    found.push_back({.gpu = i,
                     .text = reasons.empty() ? "clock_below_equals" : "clock_below_equals.for_reason",
                     .arguments = {{"clock", shown_number(kept[i].clock_mhz, "MHz")},
                                   {"equals", shown_number(kept[i].equals_mhz, "MHz")},
                                   {"count", std::to_string(kept[i].equals)},
                                   {"reasons", reasons}}});
  }
}

}  // namespace
}  // namespace clock_below_equals

extern const DetectorRow clock_below_equals_detector;
constinit const DetectorRow clock_below_equals_detector = {
    .name = "clock_below_equals",
    .description = "with the same work, the SM clock is 7 % lower than on the host's other GPUs of the same model",
    .clear_after_s = 60,
    .make = each_minute<clock_below_equals::Kept, clock_below_equals::look>,
    .severity = "warning",
    .clears = "within 4 % for 20 minutes with the same work",
};

}  // namespace sonde::monitor
