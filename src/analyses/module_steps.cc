#include "analyses/module_steps.h"

#include <algorithm>
#include <cmath>

#include "trace/columns.h"

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

/// Nanoseconds by (module, step); the row behind the last module is outside any.
class Sums {
 public:
  Sums(const ModuleTree& tree, size_t steps) : tree_(tree), steps_(steps), ns_((tree.modules.size() + 1) * steps, 0) {}

  void add(uint32_t module, size_t step, int64_t ns) {
    if (step < steps_) row(module)[step] += ns;
  }
  /// Children come behind their parents.
  void fold() {
    for (size_t m = tree_.modules.size(); m-- > 0;) {
      if (tree_.modules[m].parent == kNone) continue;
      const auto parent = row(tree_.modules[m].parent);
      const auto child = row(static_cast<uint32_t>(m));
      for (size_t s = 0; s < steps_; ++s) parent[s] += child[s];
    }
  }
  [[nodiscard]] std::vector<StepTime> times() {
    std::vector<StepTime> times;
    for (uint32_t m = 0; m < tree_.modules.size(); ++m) times.push_back(time_of(row(m)));
    times.push_back(time_of(row(kNone)));
    return times;
  }

 private:
  std::span<int64_t> row(uint32_t module) {
    const size_t index = module == kNone ? tree_.modules.size() : module;
    return std::span(ns_).subspan(index * steps_, steps_);
  }
  const ModuleTree& tree_;
  size_t steps_;
  std::vector<int64_t> ns_;
};

}  // namespace

std::vector<StepTime> step_times(const Trace& trace, const ModuleTree& tree, std::span<const Span> steps) {
  Sums sums(tree, steps.size());
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    const Longs& share = tree.shares.of(trace, ops);
    for (Row row = 0; row < row_count(ops); ++row) {
      const Row call = ops.launch[row];
      const int64_t when = call == kNone ? ops.start[row] : trace.api.start[call];
      sums.add(call == kNone ? kNone : tree.of_call[call], step_at(steps, when), share[row]);
    }
  });
  sums.fold();
  return sums.times();
}

}  // namespace sonde
