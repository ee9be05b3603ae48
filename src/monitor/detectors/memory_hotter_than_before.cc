#include <algorithm>

#include "monitor/anomalies/baseline.h"
#include "monitor/anomalies/each_minute.h"
#include "monitor/anomalies/line_fit.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace memory_hotter_than_before {
namespace {

/// Memory is cooled with the chip, so that what counts is how much hotter than the chip it is at this power. Traffic
/// moves that by 2 to 3 °C.
constexpr double kMinCelsius = 5;
constexpr double kSpreads = 5;
constexpr size_t kMinutes = 30;
constexpr size_t kLearnHours = 12;

struct Kept {
  SteadyPower steady;
  LineFit usual;  ///< memory's temperature above the chip's, by power
  Baseline residual{kLearnHours};
  Sustained hotter;
  double celsius = 0;
  double excess = 0;
};

void look_at_gpu(const std::optional<Minute>& minute, Kept& kept) {
  const std::optional<double> watts = kept.steady.take(minute ? minute->watts.value() : std::nullopt);
  if (!watts || !minute->celsius.value() || !minute->memory_celsius.value()) return;
  const double above = *minute->memory_celsius.value() - *minute->celsius.value();
  const std::optional<double> usual = kept.usual.at(*watts);
  bool learn = true;
  if (usual) {
    const double limit = std::max(kMinCelsius, kSpreads * kept.residual.spread());
    const double value = above - *usual;
    kept.residual.add(value, limit);
    if (kept.residual.ready()) {
      kept.hotter.take((value - kept.residual.median()) / limit, {1, 0.5, kMinutes});
      learn = value - kept.residual.median() < limit / 2 && !kept.hotter.on();
      kept.excess = kept.hotter.deviation() * limit;
    }
    kept.celsius = *minute->memory_celsius.value();
  }
  if (learn) kept.usual.learn(*watts, above);
}

void look(const HostMinute& host, std::span<Kept> kept, std::vector<Observation>& found) {
  for (size_t i = 0; i < kept.size(); ++i) {
    look_at_gpu(host.gpus[i], kept[i]);
    if (!kept[i].hotter.on()) continue;
    found.push_back(
        {.gpu = i,
         .text = "memory_hotter_than_before",
         .arguments = {{"temperature", shown_celsius(kept[i].celsius)}, {"excess", shown_celsius(kept[i].excess)}}});
  }
}

}  // namespace
}  // namespace memory_hotter_than_before

extern const DetectorRow memory_hotter_than_before_detector;
constinit const DetectorRow memory_hotter_than_before_detector = {
    .name = "memory_hotter_than_before",
    .description = "the difference between memory and GPU temperature is larger than usual at this power",
    .clear_after_s = 60,
    .make = each_minute<memory_hotter_than_before::Kept, memory_hotter_than_before::look>,
    .severity = "warning",
    .clears = "half of the excess is gone for 30 minutes of steady power",
};

}  // namespace sonde::monitor
