#pragma once

#include <cstdint>
#include <vector>

#include "analyses/ranges/range_paths.h"
#include "trace/trace.h"

/// What kernels of two recordings are compared by (kernel_join.h).
namespace sonde {

/// A launch of the timeline or a measured kernel, as far as it is compared.
struct KernelItem {
  uint32_t function = 0;
  Dim3 grid{};
  Dim3 block{};
  int64_t registers = kUnknown;
  int64_t shared = kUnknown;
  uint32_t path = 0;    ///< row of RangePaths::paths
  bool failed = false;  ///< the profiler names the launch and has no shape of it, as for a launch that failed
};

struct KernelItems {
  std::vector<KernelItem> launches;  ///< row for row the timeline's kernels
  std::vector<KernelItem> measured;  ///< row for row the reports' kernel_profiles
  RangePaths ranges;
};

[[nodiscard]] KernelItems kernel_items(const Trace& timeline, const Trace& reports);

}  // namespace sonde
