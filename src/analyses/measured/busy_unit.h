#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

/// Which unit of the memory system or of the SMs a measured launch keeps busiest. A kernel profiler takes a throughput
/// as the greatest of its parts and lists them in a metric of its own ("breakdown:<throughput>").
namespace sonde {

/// `l1_or_shared`: the launch uses shared memory, and what was collected does not tell the two apart.
enum class MemoryPart : uint8_t { unknown, dram, l2, l1, shared, l1_or_shared, host };
/// "DRAM", "L2", "L1", "shared memory"; empty for unknown
[[nodiscard]] std::string_view name_of(MemoryPart part);

struct BusyUnit {
  MemoryPart part = MemoryPart::unknown;  ///< of the memory system
  double percent = 0;                     ///< of its peak
  std::string counter;                    ///< "l1tex__data_pipe_lsu_wavefronts"; empty where only the part is known
};

/// The busiest part of the memory system. L1's own throughput counts too: it has parts that the whole leaves out.
/// Absent where nothing of it was collected.
[[nodiscard]] std::optional<BusyUnit> busiest_memory(const Trace& trace, const KernelProfile& kernel);

/// The busiest pipe or stage of the SMs.
[[nodiscard]] std::optional<BusyUnit> busiest_pipe(const Trace& trace, const KernelProfile& kernel);

/// What a counter of busiest_memory() or busiest_pipe() counts: "FP64 pipe", "tag lookups"; the counter itself where it
/// is not a known one.
[[nodiscard]] std::string_view name_of_counter(std::string_view counter);

}  // namespace sonde
