#include "monitor/detectors/shared_each_gpu.h"

namespace sonde::monitor {
namespace contradictory_values {
namespace {

/// Use is a mean over up to a second and power over another: at the edges of load they differ for a moment.
constexpr int64_t kRounds = 3;

struct Kept {
  int64_t rounds = 0;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  kept.rounds = gpu.sample.mark.quality == Quality::contradictory ? kept.rounds + 1 : 0;
  if (kept.rounds < kRounds) return;
  found.push_back({.gpu = gpu.sample.gpu,
                   .severity = Severity::warning,
                   .text = "contradictory_values",
                   .arguments = {{"reason", gpu.sample.mark.reason}}});
}

}  // namespace
}  // namespace contradictory_values

extern constinit const DetectorRow contradictory_values_detector = {
    .name = "contradictory_values",
    .description = "for three sampling rounds the GPU's values contradict each other: full utilization at idle power",
    .clear_after_s = 60,
    .make = each_gpu<contradictory_values::Kept, contradictory_values::look>,
    .severity = "warning",
    .clears = "the values are consistent for 1 min",
};

}  // namespace sonde::monitor
