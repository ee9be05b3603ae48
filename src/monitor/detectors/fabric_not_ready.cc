#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_hysteresis.h"

namespace sonde::monitor {
namespace fabric_not_ready {
namespace {

/// Registration takes minutes after a start of the host or of the Fabric Manager.
constexpr double kStartingS = 300;

struct Kept {
  Hysteresis starting;
  bool failed = false;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  const device::GpuReading& reading = gpu.sample.reading;
  if (!reading.fabric_state) return;  // no fabric here
  const bool completed = *reading.fabric_state == "Completed";
  if (gpu.reading != nullptr) kept.failed = completed && reading.fabric_status.value_or("Success") != "Success";
  const auto waits = gpu.reading == nullptr ? std::nullopt : std::optional(completed ? 0.0 : 1.0);
  const bool late = kept.starting.take(waits, {0.5, 0.5, kStartingS, 0}, gpu.round.moment_ns);
  if (!kept.failed && !late) return;
  found.push_back({.gpu = gpu.sample.gpu,
                   .severity = Severity::critical,
                   .text = kept.failed ? "fabric_failed" : "fabric_not_ready",
                   .arguments = {{"state", *reading.fabric_state}, {"status", reading.fabric_status.value_or("-")}}});
}

}  // namespace
}  // namespace fabric_not_ready

extern constinit const DetectorRow fabric_not_ready_detector = {
    .name = "fabric_not_ready",
    .description =
        "the GPU is not registered with the NVLink fabric: registration failed, or has not completed for 5 min",
    .clear_after_s = 60,
    .make = each_gpu<fabric_not_ready::Kept, fabric_not_ready::look>,
    .severity = "critical",
    .clears = "it is registered for 1 min",
};

}  // namespace sonde::monitor
