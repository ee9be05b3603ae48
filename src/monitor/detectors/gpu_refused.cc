#include "monitor/detectors/shared_each_gpu.h"

namespace sonde::monitor {
namespace gpu_refused {
namespace {

/// A refusal does not pass by itself, and one round of it may be the start of a container.
constexpr int64_t kRounds = 2;

struct Kept {
  int64_t rounds = 0;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  const auto& failure = gpu.sample.failure;
  const bool refused =
      failure && (failure->kind == device::FailureKind::refused || failure->kind == device::FailureKind::other);
  kept.rounds = refused ? kept.rounds + 1 : 0;
  if (kept.rounds < kRounds) return;
  found.push_back({.gpu = gpu.sample.gpu,
                   .severity = Severity::warning,
                   .text = failure->kind == device::FailureKind::refused ? "gpu_refused" : "gpu_refused_other",
                   .arguments = {{"reason", failure->message}}});
}

}  // namespace
}  // namespace gpu_refused

extern constinit const DetectorRow gpu_refused_detector = {
    .name = "gpu_refused",
    .description = "the driver refuses to report the GPU for two sampling rounds: no permission, or an internal error",
    .clear_after_s = 30,
    .make = each_gpu<gpu_refused::Kept, gpu_refused::look>,
    .severity = "warning",
    .clears = "the GPU can be read again for 30 s",
};

}  // namespace sonde::monitor
