#include <array>
#include <string_view>

#include "monitor/detectors/shared_each_gpu.h"

namespace sonde::monitor {
namespace recovery_action {
namespace {

/// By NVML's numbers (field 230): 0 is none.
constexpr auto kActionTexts =
    std::to_array<std::string_view>({"", "recovery_action_reset", "recovery_action_reboot", "recovery_action_drain_p2p",
                                     "recovery_action_drain_and_reset"});

struct Kept {
  int64_t action = 0;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  if (gpu.reading != nullptr) kept.action = gpu.reading->recovery_action.value_or(0);
  if (kept.action <= 0) return;
  const bool known = static_cast<size_t>(kept.action) < kActionTexts.size();
  found.push_back(
      {.gpu = gpu.sample.gpu,
       .severity = Severity::critical,
       .text = std::string(known ? kActionTexts.at(static_cast<size_t>(kept.action)) : "recovery_action_other"),
       .arguments = {{"action", std::to_string(kept.action)}, {"index", std::to_string(gpu.sample.gpu)}}});
}

}  // namespace
}  // namespace recovery_action

extern constinit const DetectorRow recovery_action_detector = {
    .name = "recovery_action",
    .description = "the GPU reports a recovery action (nvidia-smi: gpu_recovery_action)",
    .clear_after_s = 30,
    .make = each_gpu<recovery_action::Kept, recovery_action::look>,
    .severity = "critical",
    .clears = "it reports none for 30 s",
};

}  // namespace sonde::monitor
