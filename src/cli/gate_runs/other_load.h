#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/system/processor_set.h"

/// What else the processors did during a run.
namespace sonde {

/// Since the boot, or since this program started. Linux counts `busy_ns` in ticks, of 10 ms at the usual setting.
struct ProcessorUse {
  int64_t busy_ns =
      0;               ///< of the processors of a set: not idle, and not waiting for a disk; what a hypervisor took too
  int64_t own_ns = 0;  ///< user and system time of this program's children that ended
};

/// `proc_stat`: the text of /proc/stat. Absent where it does not know one of the processors.
[[nodiscard]] std::optional<int64_t> busy_ns_of(std::string_view proc_stat, const ProcessorSet& set);
[[nodiscard]] std::optional<ProcessorUse> processor_use(const ProcessorSet& set);

/// Share of the time of `processors` that others used in `wall_ns`: 0 to 1.
[[nodiscard]] double share_of_others(const ProcessorUse& before, const ProcessorUse& after, int64_t wall_ns,
                                     size_t processors);

/// Whether so much other work makes a run too unlike the others: a tenth of the processors, and more than Linux' ticks
/// can be wrong by.
[[nodiscard]] bool is_disturbing(double share, int64_t wall_ns, size_t processors);

}  // namespace sonde
