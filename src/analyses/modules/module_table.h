#pragma once

#include <optional>

#include "analyses/modules/module_kernel_metrics.h"
#include "analyses/modules/module_tree.h"
#include "analyses/steps/warm_up.h"
#include "analyses/tables/table.h"

namespace sonde {

/// The steps of a run, for figures a step.
struct ModuleSteps {
  WarmUp found;
  int64_t items_per_step = 0;  ///< 0: unknown
};

struct ModuleTableOptions {
  double min_percent = 0;  ///< modules with less of the device time stand together in one row below their parent
  bool indented = true;    ///< names are indented by their level, for people
  std::optional<ModuleSteps> steps;  ///< adds columns for device time a step and an item
  bool by_rank = false;              ///< adds columns for device time by rank (module_ranks.h)
  /// Adds columns of what was measured; for people those that have any, in place of host times, launches and copies.
  const ModuleKernels* kernels = nullptr;
};

/// The tree as a table: a row a module below the one around it, most device time first; then what lies outside any
/// module. Device Self adds up to the GPU busy time whatever is shown; the note says so with its numbers.
[[nodiscard]] Table module_table(const Trace& trace, const ModuleTree& tree, const ModuleTableOptions& options);

}  // namespace sonde
