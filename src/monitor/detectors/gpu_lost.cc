#include "monitor/detectors/shared_each_gpu.h"

namespace sonde::monitor {
namespace gpu_lost {
namespace {

void look(const GpuLook& gpu, Nothing& /*kept*/, std::vector<Observation>& found) {
  const auto& failure = gpu.sample.failure;
  if (!failure || failure->kind != device::FailureKind::lost) return;
  found.push_back({.gpu = gpu.sample.gpu, .severity = Severity::critical, .text = "gpu_lost"});
}

}  // namespace
}  // namespace gpu_lost

extern constinit const DetectorRow gpu_lost_detector = {
    .name = "gpu_lost",
    .description = "the driver can no longer reach the GPU: it has fallen off the bus",
    .clear_after_s = 30,
    .make = each_gpu<Nothing, gpu_lost::look>,
    .severity = "critical",
    .clears = "the GPU responds again for 30 s",
};

}  // namespace sonde::monitor
