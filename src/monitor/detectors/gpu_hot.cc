#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_hysteresis.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace gpu_hot {
namespace {

/// At the default interval of 10 s three measurements in a row; a peak of one kernel is shorter.
constexpr double kOnAfterS = 20;
constexpr double kOffAfterS = 30;
/// Temperatures move by 1 or 2 °C with the load's steps.
constexpr double kBackCelsius = 3;
/// Rules in use warn at 80 to 85 °C and call 90 °C critical.
constexpr double kCriticalAboveCelsius = 5;
/// The margin (T.Limit) is 0 where the GPU begins to hold its clocks down for heat.
constexpr double kWarningMarginCelsius = 2;

struct Kept {
  Hysteresis hot;
  Hysteresis very_hot;
  Hysteresis near_limit;
  Hysteresis at_limit;
  std::optional<double> celsius;
  std::optional<double> margin;
};

Limits above(double value, double on_after_s = kOnAfterS) {
  return {value, value - kBackCelsius, on_after_s, kOffAfterS};
}

std::optional<double> as_double(const std::optional<int64_t>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

std::optional<double> negative(const std::optional<double>& value) {
  return value ? std::optional(-*value) : std::nullopt;
}

/// The margin at which the hardware slows down is below 0 where the driver holds clocks down before it.
double slowdown_margin(const GpuLook& gpu) {
  return static_cast<double>(gpu.sample.reading.slowdown_margin_celsius.value_or(0));
}

Observation observation(const GpuLook& gpu, const Kept& kept, bool critical, bool by_margin) {
  Observation seen{.gpu = gpu.sample.gpu,
                   .severity = critical ? Severity::critical : Severity::warning,
                   .text = by_margin ? "gpu_hot_margin" : "gpu_hot"};
  seen.arguments.push_back({"temperature", kept.celsius ? shown_celsius(*kept.celsius) : "-"});
  seen.arguments.push_back({"limit", shown_celsius(gpu.round.config->gpu.max_temperature)});
  if (kept.margin) seen.arguments.push_back({"margin", shown_celsius(*kept.margin)});
  return seen;
}

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  const double limit = gpu.round.config->gpu.max_temperature;
  const int64_t now_ns = gpu.round.moment_ns;
  std::optional<double> celsius;
  std::optional<double> margin;
  if (gpu.reading != nullptr) {
    celsius = as_double(gpu.reading->temperature_celsius);
    margin = as_double(gpu.reading->temperature_margin_celsius);
  }
  if (celsius) kept.celsius = celsius;
  if (margin) kept.margin = margin;
  const bool hot = kept.hot.take(celsius, above(limit), now_ns);
  const bool very_hot = kept.very_hot.take(celsius, above(limit + kCriticalAboveCelsius), now_ns);
  // Margins are compared upside down: a small one is hot.
  const bool near_limit = kept.near_limit.take(negative(margin), above(-kWarningMarginCelsius), now_ns);
  const bool at_limit = kept.at_limit.take(negative(margin), above(-slowdown_margin(gpu)), now_ns);
  if (!hot && !near_limit && !at_limit) return;
  found.push_back(observation(gpu, kept, very_hot || at_limit, near_limit || at_limit));
}

}  // namespace
}  // namespace gpu_hot

extern constinit const DetectorRow gpu_hot_detector = {
    .name = "gpu_hot",
    .description =
        "for 20 s the GPU is above gpu.max_temperature, or less than 2 °C from its thermal slowdown "
        "(temperature.gpu.tlimit)",
    .clear_after_s = 30,
    .make = each_gpu<gpu_hot::Kept, gpu_hot::look>,
    .severity = "warning; critical if more than 5 °C above, or beyond the thermal slowdown",
    .clears = "3 °C below for 1 min",
};

}  // namespace sonde::monitor
