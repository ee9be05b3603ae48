#include <array>

#include "gate/decide/figures.h"
#include "gate/history/history.h"

namespace sonde::gate {
namespace {

constexpr auto kHeadline =
    std::to_array<std::string_view>({"step_time", "gpu_busy_time", "kernels_per_step", "wall_time"});

}  // namespace

std::span<const std::string_view> headline_metrics() { return kHeadline; }

std::optional<double> run_figure(const RunRecord& run, const Metric& metric) {
  TimedRun values = figure_of(metric).values(run, {});
  if (values.empty()) return std::nullopt;
  return centre_of(values, Centre::median);
}

}  // namespace sonde::gate
