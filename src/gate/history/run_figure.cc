#include <algorithm>
#include <array>

#include "gate/history/history.h"
#include "gate/runs.h"

namespace sonde::gate {
namespace {

constexpr auto kHeadline =
    std::to_array<std::string_view>({"step_time", "gpu_busy_time", "kernels_per_step", "wall_time"});

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  return centre_of(values, Centre::median);
}

}  // namespace

std::span<const std::string_view> headline_metrics() { return kHeadline; }

std::optional<double> run_figure(const RunRecord& run, const Metric& metric) {
  if (metric.name == "wall_time") return static_cast<double>(run.wall_ns);
  if (metric.name == "step_time") return median_of({run.step_ns.begin(), run.step_ns.end()});
  return std::nullopt;
}

}  // namespace sonde::gate
