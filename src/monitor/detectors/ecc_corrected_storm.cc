#include "monitor/detectors/shared_counter.h"
#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_hysteresis.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace ecc_corrected_storm {
namespace {

/// Memory in order has a few a day at most, and none is harmful. NVIDIA names no limit; this many tell of a cell that
/// fails, which the driver answers by remapping its row.
constexpr double kMax = 100;
constexpr double kWindowS = 600;

struct Kept {
  RecentGrowth errors;
  Hysteresis storm;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  const auto total = gpu.reading == nullptr ? std::nullopt : gpu.reading->ecc_corrected_volatile_total;
  const int64_t recent = kept.errors.take(total, kWindowS, gpu.round.moment_ns);
  const bool storm = kept.storm.take(static_cast<double>(recent), {kMax, kMax / 10, 0, 0}, gpu.round.moment_ns);
  if (!storm) return;
  found.push_back({.gpu = gpu.sample.gpu,
                   .severity = Severity::warning,
                   .text = "ecc_corrected_storm",
                   .arguments = {{"count", std::to_string(recent)}, {"time", shown_time(kWindowS)}}});
}

}  // namespace
}  // namespace ecc_corrected_storm

extern constinit const DetectorRow ecc_corrected_storm_detector = {
    .name = "ecc_corrected_storm",
    .description = "more than 100 corrected memory errors within 10 min",
    .clear_after_s = 60,
    .make = each_gpu<ecc_corrected_storm::Kept, ecc_corrected_storm::look>,
    .severity = "warning",
    .clears = "at most 10 within 10 min, for 1 min",
};

}  // namespace sonde::monitor
