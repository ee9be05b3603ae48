#pragma once

#include "analyses/modules/module_tree.h"

namespace sonde {

/// Device memory of a module's process around its ranges, on whatever thread it was allocated.
struct ModuleMemory {
  int64_t peak_bytes =
      kUnknown;  ///< the most in use on one GPU at any moment of one of its ranges, their ends included
  int64_t growth_bytes =
      kUnknown;  ///< in use at a range's end less at its start, over all GPUs, summed over the ranges

  ModuleMemory& operator+=(const ModuleMemory& other);
};

/// For each module of the tree; empty where the trace has no allocation on a device. A range that was open when the
/// recording ended counts for the peak only. Needs Field::allocations.
[[nodiscard]] std::vector<ModuleMemory> module_memory(const Trace& trace, const ModuleTree& tree);

}  // namespace sonde
