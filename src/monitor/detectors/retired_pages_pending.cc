#include "monitor/detectors/shared_each_gpu.h"

namespace sonde::monitor {
namespace retired_pages_pending {
namespace {

struct Kept {
  bool pending = false;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  if (gpu.reading != nullptr) kept.pending = gpu.reading->retired_pages_pending.value_or(false);
  if (!kept.pending) return;
  found.push_back({.gpu = gpu.sample.gpu,
                   .severity = Severity::warning,
                   .text = "retired_pages_pending",
                   .arguments = {{"index", std::to_string(gpu.sample.gpu)}}});
}

}  // namespace
}  // namespace retired_pages_pending

extern constinit const DetectorRow retired_pages_pending_detector = {
    .name = "retired_pages_pending",
    .description = "page retirement is pending until the next reset (GPUs before Ampere)",
    .clear_after_s = 60,
    .make = each_gpu<retired_pages_pending::Kept, retired_pages_pending::look>,
    .severity = "warning",
    .clears = "none is pending for 1 min",
};

}  // namespace sonde::monitor
