#pragma once

#include <cstdint>
#include <string_view>

#include "trace/events.h"

/// CUPTI's numbers (cupti_activity.h) as those of a trace.
namespace sonde::record {

inline constexpr uint8_t kNoCode = 255;
/// CUPTI_CB_DOMAIN_RUNTIME_API; the driver's is 1.
inline constexpr uint16_t kRuntimeDomain = 2;

/// CUpti_ActivityUnifiedMemoryCounterKind.
enum class UnifiedCounter : uint32_t {
  host_to_device = 1,
  device_to_host = 2,
  cpu_page_fault = 3,
  gpu_page_fault = 4,
  device_to_device = 8,
};

/// CopyKind of a migration.
[[nodiscard]] CopyKind copy_kind(UnifiedCounter counter);

/// MemoryKind of a CUpti_ActivityMemoryKind.
[[nodiscard]] uint8_t memory_kind(uint32_t cupti);

/// What waits for what, by what is named.
[[nodiscard]] SyncKind sync_kind(bool has_stream, bool has_event);

/// CUpti_ActivityOverheadKind as Nsight words it.
[[nodiscard]] std::string_view overhead_name(uint32_t cupti);

/// Whether a call of this name starts a kernel, or a graph.
[[nodiscard]] bool launches_kernel(std::string_view call);
[[nodiscard]] bool launches_graph(std::string_view call);

}  // namespace sonde::record
