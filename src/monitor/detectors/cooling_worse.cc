#include <algorithm>
#include <cmath>

#include "monitor/anomalies/baseline.h"
#include "monitor/anomalies/each_minute.h"
#include "monitor/anomalies/line_fit.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace cooling_worse {
namespace {

/// Beside equals, whose common part (air in the room, fans of the chassis) is taken off; a GPU alone carries the day's
/// changes of the air, 3 to 6 °C, and hours in which the room's cooling is off.
constexpr double kBesideCelsius = 3.5;
constexpr double kAloneCelsius = 10;
constexpr double kSpreads = 4;
constexpr size_t kMinutes = 30;
constexpr size_t kLearnHours = 6;
constexpr size_t kFewestOthers = 3;

/// Below a third of the limit a GPU is hardly warmer than the air, and what the last job left is still in the heat
/// sink.
constexpr double kLoadShare = 0.33;

struct Kept {
  SteadyPower steady;
  LineFit usual;  ///< temperature by power
  Baseline beside{kLearnHours};
  Baseline alone{kLearnHours};
  Sustained hotter;
  std::optional<double> watts;     ///< of this minute, where steady
  std::optional<double> residual;  ///< of this minute
  double celsius = 0;
  double at_watts = 0;
  double excess = 0;        ///< °C, over the minutes that count
  bool has_equals = false;  ///< to compare with, at the last minute that was judged
};

void measure(const std::optional<Minute>& minute, Kept& kept) {
  kept.residual.reset();
  kept.watts = kept.steady.take(minute ? minute->watts.value() : std::nullopt);
  const bool loaded = kept.watts && *kept.watts >= kLoadShare * minute->limit_watts.value_or(0);
  if (!loaded) kept.watts.reset();
  if (!kept.watts) return;
  const std::optional<double> celsius = minute->celsius.value();
  const std::optional<double> usual = kept.usual.at(*kept.watts);
  if (celsius && usual) kept.residual = *celsius - *usual;
}

/// What all equals have in common now: warmer air, slower fans.
std::optional<double> common_part(const HostMinute& host, std::span<const Kept> kept, size_t gpu) {
  std::vector<double> others;
  for (const size_t other : equals_of(host.round, gpu)) {
    if (other != gpu && kept[other].residual) others.push_back(*kept[other].residual);
  }
  return others.size() < kFewestOthers ? std::nullopt : std::optional(median_of(others));
}

void judge(const Minute& minute, std::optional<double> common, Kept& kept) {
  const double celsius = *minute.celsius.value();
  bool usual = true;
  if (kept.residual) {
    Baseline& baseline = common ? kept.beside : kept.alone;
    const double limit = std::max(common ? kBesideCelsius : kAloneCelsius, kSpreads * baseline.spread());
    const double value = *kept.residual - common.value_or(0);
    baseline.add(value, limit);
    usual = !baseline.ready() || value - baseline.median() < limit / 2;
    if (baseline.ready()) kept.hotter.take((value - baseline.median()) / limit, {1, 0.5, kMinutes});
    kept.excess = kept.hotter.deviation() * limit;
    kept.celsius = celsius;
    kept.at_watts = *kept.watts;
    kept.has_equals = common.has_value();
  }
  // What may be a fault is not learned as usual.
  if (usual && !kept.hotter.on()) kept.usual.learn(*kept.watts, celsius);
}

void look(const HostMinute& host, std::span<Kept> kept, std::vector<Observation>& found) {
  for (size_t i = 0; i < kept.size(); ++i) measure(host.gpus[i], kept[i]);
  for (size_t i = 0; i < kept.size(); ++i) {
    const bool measured = kept[i].watts && host.gpus[i] && host.gpus[i]->celsius.value();
    if (measured) judge(*host.gpus[i], common_part(host, kept, i), kept[i]);
    if (!kept[i].hotter.on()) continue;
    found.push_back({.gpu = i,
                     .text = kept[i].has_equals ? "cooling_worse" : "cooling_worse.alone",
                     .arguments = {{"temperature", shown_celsius(kept[i].celsius)},
                                   {"excess", shown_celsius(kept[i].excess)},
                                   {"power", shown_watts(kept[i].at_watts)}}});
  }
}

}  // namespace
}  // namespace cooling_worse

extern const DetectorRow cooling_worse_detector;
constinit const DetectorRow cooling_worse_detector = {
    .name = "cooling_worse",
    .description = "the GPU is hotter than usual at this power, and other GPUs of the same model are not",
    .clear_after_s = 60,
    .make = each_minute<cooling_worse::Kept, cooling_worse::look>,
    .severity = "warning",
    .clears = "half of the excess is gone for 30 minutes of steady power",
};

}  // namespace sonde::monitor
