#include "monitor/detectors/each_gpu.h"
#include "monitor/detectors/hysteresis.h"
#include "monitor/detectors/shown.h"

namespace sonde::monitor {
namespace {

/// At the default interval of 10 s three measurements in a row; a peak of one kernel is shorter.
constexpr double kOnAfterS = 20;
constexpr double kOffAfterS = 30;
/// Temperatures move by 1 or 2 °C with the load's steps.
constexpr double kBackCelsius = 3;
/// Rules in use warn at 80 to 85 °C and call 90 °C critical (awesome-prometheus-alerts, dcgm-exporter's users).
constexpr double kCriticalAboveCelsius = 5;

struct Kept {
  Hysteresis hot;
  Hysteresis very_hot;
  double last_celsius = 0;
};

Limits above(double celsius) { return {celsius, celsius - kBackCelsius, kOnAfterS, kOffAfterS}; }

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  const double limit = gpu.round.config->gpu.max_temperature;
  std::optional<double> celsius;
  if (gpu.reading != nullptr && gpu.reading->temperature_celsius) {
    celsius = static_cast<double>(*gpu.reading->temperature_celsius);
    kept.last_celsius = *celsius;
  }
  const bool hot = kept.hot.take(celsius, above(limit), gpu.round.moment_ns);
  const bool very_hot = kept.very_hot.take(celsius, above(limit + kCriticalAboveCelsius), gpu.round.moment_ns);
  if (!hot) return;
  found.push_back({.gpu = gpu.sample.gpu,
                   .severity = very_hot ? Severity::critical : Severity::warning,
                   .text = "gpu_hot",
                   .arguments = {{"temperature", shown_celsius(kept.last_celsius)}, {"limit", shown_celsius(limit)}}});
}

}  // namespace

constinit const DetectorRow gpu_hot_detector = {
    .name = "gpu_hot",
    .description = "the chip is hotter than gpu.max_temperature for 20 s",
    .clear_after_s = 30,
    .make = each_gpu<Kept, look>,
    .severity = "warning; critical from 5 °C above",
    .clears = "3 °C below for 1 min",
};

}  // namespace sonde::monitor
