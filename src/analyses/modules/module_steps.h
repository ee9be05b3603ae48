#pragma once

#include <span>
#include <vector>

#include "analyses/gpus/busy_time.h"
#include "analyses/modules/module_tree.h"

namespace sonde {

/// Device time of a module, with all modules inside, over the steps of a run.
struct StepTime {
  double mean_ns = 0;
  double stddev_ns = 0;  ///< over the steps (n - 1)
};

/// For each module of the tree, and last for what lies outside any. An operation belongs to the step in which the call
/// began that launched it, on whatever thread. `steps` are sorted and do not overlap.
[[nodiscard]] std::vector<StepTime> step_times(const Trace& trace, const ModuleTree& tree, std::span<const Span> steps);

}  // namespace sonde
