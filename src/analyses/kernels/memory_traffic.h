#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/trace.h"

/// What a measured launch moved through the levels of the memory. Counters and sources: docs/profiles/kernel_views.md.
namespace sonde {

enum class MemoryLevel : uint8_t { l1, l1_and_shared, l2, dram };
/// "L1/TEX", "L1/TEX and shared", "L2", "DRAM"
[[nodiscard]] std::string_view name_of(MemoryLevel level);

/// What went through a level of the memory; absent where it was not collected.
struct MemoryTraffic {
  MemoryLevel level = MemoryLevel::dram;
  std::optional<double> bytes_per_second;
  std::optional<double> ceiling_bytes_per_second;

  [[nodiscard]] bool is_measured() const { return bytes_per_second.has_value(); }
};

[[nodiscard]] MemoryTraffic memory_traffic(const Trace& trace, const KernelProfile& kernel, MemoryLevel level);
/// The levels of which the traffic was collected, nearest to the SM first.
[[nodiscard]] std::vector<MemoryTraffic> memory_traffic(const Trace& trace, const KernelProfile& kernel);

}  // namespace sonde
