#pragma once

#include <span>
#include <vector>

#include "analyses/modules/module_tree.h"

namespace sonde {

/// Device time of each module by parts of the run (steps, ranks), with that of all modules inside.
class ModuleSums {
 public:
  ModuleSums(const ModuleTree& tree, size_t parts)
      : tree_(tree), parts_(parts), ns_((tree.modules.size() + 1) * parts, 0) {}

  /// Adds each GPU operation to the module that launched it, in the part that `part_of(operations, row)` gives; a part
  /// that there is not is left out.
  template <typename PartOf>
  void add_operations(const Trace& trace, PartOf part_of) {
    for_each_gpu_table(trace, [&](const GpuOps& ops) {
      const Longs& share = tree_.shares.of(trace, ops);
      for (Row row = 0; row < ops.start.size(); ++row) {
        const size_t part = part_of(ops, row);
        const Row call = ops.launch[row];
        if (part < parts_) of(call == kNone ? kNone : tree_.of_call[call])[part] += share[row];
      }
    });
    fold();
  }

  /// By part; of kNone what lies outside any module.
  [[nodiscard]] std::span<int64_t> of(uint32_t module) {
    const size_t index = module == kNone ? tree_.modules.size() : module;
    return std::span(ns_).subspan(index * parts_, parts_);
  }

 private:
  /// Children come behind their parents.
  void fold() {
    for (size_t m = tree_.modules.size(); m-- > 0;) {
      if (tree_.modules[m].parent == kNone) continue;
      const auto parent = of(tree_.modules[m].parent);
      const auto child = of(static_cast<uint32_t>(m));
      for (size_t p = 0; p < parts_; ++p) parent[p] += child[p];
    }
  }

  const ModuleTree& tree_;
  size_t parts_;
  std::vector<int64_t> ns_;
};

}  // namespace sonde
