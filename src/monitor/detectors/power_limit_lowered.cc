#include <algorithm>

#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace power_limit_lowered {
namespace {

/// Limits are given in steps of a watt; less than that is rounding.
constexpr int64_t kRoundingMilliwatts = 1000;

struct Kept {
  std::optional<int64_t> enforced;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  const device::GpuReading& reading = gpu.sample.reading;
  if (gpu.reading != nullptr) kept.enforced = reading.power_enforced_limit_milliwatts;
  const auto normal = reading.power_default_limit_milliwatts;
  if (!kept.enforced || !normal || *kept.enforced + kRoundingMilliwatts > *normal) return;
  // Set by somebody: known, and told once. Below what is set: something else limits the board.
  const auto set = reading.power_limit_milliwatts;
  const bool by_other = set && *kept.enforced + kRoundingMilliwatts <= *set;
  found.push_back({.gpu = gpu.sample.gpu,
                   .severity = by_other ? Severity::warning : Severity::info,
                   .text = by_other ? "power_limit_lowered_other" : "power_limit_lowered",
                   .arguments = {{"limit", shown_watts(static_cast<double>(*kept.enforced) / 1000)},
                                 {"normal", shown_watts(static_cast<double>(*normal) / 1000)},
                                 {"set", shown_watts(static_cast<double>(set.value_or(*normal)) / 1000)},
                                 {"index", std::to_string(gpu.sample.gpu)}}});
}

}  // namespace
}  // namespace power_limit_lowered

extern constinit const DetectorRow power_limit_lowered_detector = {
    .name = "power_limit_lowered",
    .description = "the enforced power limit is below the board's default",
    .clear_after_s = 60,
    .make = each_gpu<power_limit_lowered::Kept, power_limit_lowered::look>,
    .severity =
        "info; warning if it is below the requested limit: the board or the host enforces it, not nvidia-smi -pl",
    .clears = "the limit is restored for 1 min",
};

}  // namespace sonde::monitor
