#include <algorithm>
#include <optional>

#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace gpu_not_answering {
namespace {

/// A call into the driver can take seconds while a GPU is set up or reset. One that takes longer hangs.
constexpr double kWarningAfterS = 10;
constexpr double kCriticalAfterS = 60;

struct Kept {
  std::optional<int64_t> since_ns;
  int64_t rounds = 0;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  const auto& failure = gpu.sample.failure;
  if (!failure || failure->kind != device::FailureKind::not_answering) {
    kept = {};
    return;
  }
  kept.since_ns = std::min(kept.since_ns.value_or(gpu.round.moment_ns), gpu.round.moment_ns);  // clocks are set back
  ++kept.rounds;
  const double silent_s = static_cast<double>(gpu.round.moment_ns - *kept.since_ns) / 1e9;
  // With long intervals one round alone would be all that there is to judge by.
  if (kept.rounds < 2 || silent_s < kWarningAfterS) return;
  found.push_back({.gpu = gpu.sample.gpu,
                   .severity = silent_s < kCriticalAfterS ? Severity::warning : Severity::critical,
                   .text = "gpu_not_answering",
                   .arguments = {{"time", shown_time(silent_s)}}});
}

}  // namespace
}  // namespace gpu_not_answering

extern constinit const DetectorRow gpu_not_answering_detector = {
    .name = "gpu_not_answering",
    .description = "a driver call for this GPU has not returned for 10 s",
    .clear_after_s = 30,
    .make = each_gpu<gpu_not_answering::Kept, gpu_not_answering::look>,
    .severity = "warning; critical after 60 s",
    .clears = "the GPU responds again for 30 s",
};

}  // namespace sonde::monitor
