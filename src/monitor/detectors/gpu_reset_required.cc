#include "monitor/detectors/shared_each_gpu.h"

namespace sonde::monitor {
namespace gpu_reset_required {
namespace {

void look(const GpuLook& gpu, Nothing& /*kept*/, std::vector<Observation>& found) {
  const auto& failure = gpu.sample.failure;
  if (!failure || failure->kind != device::FailureKind::reset_required) return;
  found.push_back({.gpu = gpu.sample.gpu,
                   .severity = Severity::critical,
                   .text = "gpu_reset_required",
                   .arguments = {{"index", std::to_string(gpu.sample.gpu)}}});
}

}  // namespace
}  // namespace gpu_reset_required

extern constinit const DetectorRow gpu_reset_required_detector = {
    .name = "gpu_reset_required",
    .description = "the GPU responds, but runs no work until it is reset",
    .clear_after_s = 30,
    .make = each_gpu<Nothing, gpu_reset_required::look>,
    .severity = "critical",
    .clears = "the GPU can be read again for 30 s",
};

}  // namespace sonde::monitor
