#pragma once

#include <string_view>
#include <vector>

#include "analyses/modules/module_tree.h"

namespace sonde {

/// All operations of one name that a module launched itself, in no module inside it.
struct ModuleWork {
  uint32_t module = kNone;  ///< kNone outside any module
  std::string_view name;    ///< a kernel, or "[CUDA memcpy Host-to-Device]" and the like
  int64_t count = 0;
  int64_t device_ns = 0;  ///< share of GPU time; those of a module sum to its self.device_ns
};

/// By module, those with the most time first. The names are the trace's.
[[nodiscard]] std::vector<ModuleWork> module_work(const Trace& trace, const ModuleTree& tree);

}  // namespace sonde
