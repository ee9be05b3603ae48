#include "analyses/modules/module_steps.h"

#include <algorithm>
#include <cmath>

#include "analyses/modules/module_sums.h"

namespace sonde {
namespace {

/// The step in which `time` lies; as many as there are where it is outside any.
size_t step_at(std::span<const Span> steps, int64_t time) {
  const auto after = std::ranges::upper_bound(steps, time, {}, &Span::first);
  if (after == steps.begin() || time >= (after - 1)->second) return steps.size();
  return static_cast<size_t>(after - steps.begin() - 1);
}

StepTime time_of(std::span<const int64_t> steps) {
  StepTime time;
  const auto count = static_cast<double>(steps.size());
  for (const int64_t ns : steps) time.mean_ns += static_cast<double>(ns) / count;
  double squares = 0;
  for (const int64_t ns : steps) squares += std::pow(static_cast<double>(ns) - time.mean_ns, 2);
  if (steps.size() > 1) time.stddev_ns = std::sqrt(squares / (count - 1));
  return time;
}

}  // namespace

std::vector<StepTime> step_times(const Trace& trace, const ModuleTree& tree, std::span<const Span> steps) {
  ModuleSums sums(tree, steps.size());
  sums.add_operations(trace, [&](const GpuOps& ops, Row row) {
    return step_at(steps, ops.launch[row] == kNone ? ops.start[row] : trace.api.start[ops.launch[row]]);
  });
  std::vector<StepTime> times;
  for (uint32_t m = 0; m < tree.modules.size(); ++m) times.push_back(time_of(sums.of(m)));
  times.push_back(time_of(sums.of(kNone)));
  return times;
}

}  // namespace sonde
