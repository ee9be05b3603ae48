#include "monitor/detectors/shared_each_gpu.h"

namespace sonde::monitor {
namespace sram_threshold_exceeded {
namespace {

struct Kept {
  bool exceeded = false;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  if (gpu.reading != nullptr) kept.exceeded = gpu.reading->sram_threshold_exceeded.value_or(false);
  if (!kept.exceeded) return;
  found.push_back({.gpu = gpu.sample.gpu, .severity = Severity::critical, .text = "sram_threshold_exceeded"});
}

}  // namespace
}  // namespace sram_threshold_exceeded

extern constinit const DetectorRow sram_threshold_exceeded_detector = {
    .name = "sram_threshold_exceeded",
    .description = "the threshold of uncorrectable SRAM errors is exceeded, above which NVIDIA replaces the GPU",
    .clear_after_s = 60,
    .make = each_gpu<sram_threshold_exceeded::Kept, sram_threshold_exceeded::look>,
    .severity = "critical",
    .clears = "the GPU no longer reports it for 1 min",
};

}  // namespace sonde::monitor
