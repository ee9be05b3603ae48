#include "analyses/kernels/counter_means.h"
#include "gate/record/run_part.h"

namespace sonde::gate {
namespace {

/// Hertz of one of the counter's units; absent for a counter of something else.
std::optional<double> hertz_of(std::string_view name) {
  const bool is_clock = name.starts_with("GPC Clock Frequency") || name.starts_with("SM Clock");
  if (!is_clock) return std::nullopt;
  return name.contains("MHz") ? 1e6 : name.contains("GHz") ? 1e9 : 1.0;
}

}  // namespace

std::vector<std::optional<double>> sm_clocks(const RunPart& part) {
  std::vector<std::optional<double>> clocks(part.gpus.gpus.size());
  if (part.trace.counters.empty()) return clocks;
  const std::vector<uint32_t> gpu_of = gpus_of_counters(part.trace, part.gpus);
  const std::vector<CounterSeries> series = counter_series(part.trace);
  for (size_t i = 0; i < series.size(); ++i) {
    const auto hertz = hertz_of(part.trace.name(part.trace.counters[i].name));
    if (!hertz || gpu_of[i] == kNone) continue;
    const auto mean = series[i].over(part.extent).mean();
    if (mean && *mean > 0) clocks[gpu_of[i]] = *mean * *hertz;
  }
  return clocks;
}

}  // namespace sonde::gate
