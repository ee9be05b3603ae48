#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_hysteresis.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace memory_hot {
namespace {

/// NVIDIA's boards with HBM have 95 °C as "Memory Max Operating Temp" (nvidia-smi -q -d TEMPERATURE on A100 and H100),
/// and HBM is specified to 105 °C. Boards with GDDR give no memory temperature to NVML.
constexpr double kWarningCelsius = 95;
constexpr double kCriticalCelsius = 105;
constexpr double kBackCelsius = 3;
constexpr double kOnAfterS = 20;
constexpr double kOffAfterS = 30;

struct Kept {
  Hysteresis hot;
  Hysteresis very_hot;
  double last = 0;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  std::optional<double> celsius;
  if (gpu.reading != nullptr && gpu.reading->memory_temperature_celsius) {
    celsius = static_cast<double>(*gpu.reading->memory_temperature_celsius);
    kept.last = *celsius;
  }
  const auto above = [](double limit) { return Limits{limit, limit - kBackCelsius, kOnAfterS, kOffAfterS}; };
  const bool hot = kept.hot.take(celsius, above(kWarningCelsius), gpu.round.moment_ns);
  const bool very_hot = kept.very_hot.take(celsius, above(kCriticalCelsius), gpu.round.moment_ns);
  if (!hot) return;
  found.push_back(
      {.gpu = gpu.sample.gpu,
       .severity = very_hot ? Severity::critical : Severity::warning,
       .text = "memory_hot",
       .arguments = {{"temperature", shown_celsius(kept.last)}, {"limit", shown_celsius(kWarningCelsius)}}});
}

}  // namespace
}  // namespace memory_hot

extern constinit const DetectorRow memory_hot_detector = {
    .name = "memory_hot",
    .description = "the GPU's memory is above 95 °C for 20 s",
    .clear_after_s = 30,
    .make = each_gpu<memory_hot::Kept, memory_hot::look>,
    .severity = "warning; critical above 105 °C",
    .clears = "3 °C below for 1 min",
};

}  // namespace sonde::monitor
