#include "monitor/detectors/shared_each_gpu.h"

namespace sonde::monitor {
namespace gsp_firmware_off {
namespace {

void look(const GpuLook& gpu, Nothing& /*kept*/, std::vector<Observation>& found) {
  const auto& now = gpu.sample.reading.gsp_firmware_enabled;
  const auto& normal = gpu.sample.reading.gsp_firmware_default;
  if (!now || !normal || *now || !*normal) return;
  found.push_back({.gpu = gpu.sample.gpu, .severity = Severity::info, .text = "gsp_firmware_off"});
}

}  // namespace
}  // namespace gsp_firmware_off

extern constinit const DetectorRow gsp_firmware_off_detector = {
    .name = "gsp_firmware_off",
    .description = "GSP firmware is off, although the driver uses it by default",
    .clear_after_s = 60,
    .make = each_gpu<Nothing, gsp_firmware_off::look>,
    .severity = "info",
    .clears = "the driver is loaded with GSP firmware",
};

}  // namespace sonde::monitor
