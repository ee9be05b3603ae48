#include "record/cuda/cuda_codes.h"

#include <array>

namespace sonde::record {

CopyKind copy_kind(UnifiedCounter counter) {
  switch (counter) {
    case UnifiedCounter::host_to_device: return CopyKind::unified_host_to_device;
    case UnifiedCounter::device_to_host: return CopyKind::unified_device_to_host;
    case UnifiedCounter::device_to_device: return CopyKind::unified_device_to_device;
    default: return CopyKind::unknown;
  }
}

/// CUPTI's 0 is unknown, and its others are one above Nsight's.
uint8_t memory_kind(uint32_t cupti) {
  constexpr auto kLast = static_cast<uint32_t>(MemoryKind::managed_static) + 1;
  return cupti == 0 || cupti > kLast ? static_cast<uint8_t>(MemoryKind::unknown) : static_cast<uint8_t>(cupti - 1);
}

SyncKind sync_kind(bool has_stream, bool has_event) {
  if (has_stream) return has_event ? SyncKind::stream_waits_event : SyncKind::stream;
  return has_event ? SyncKind::event : SyncKind::device;
}

std::string_view overhead_name(uint32_t cupti) {
  constexpr uint32_t kCompiler = 1;
  constexpr uint32_t kShift = 16;
  constexpr std::array<std::string_view, 9> kNames = {"Unknown Overhead",
                                                      "CUPTI Buffer Flush",
                                                      "CUPTI Instrumentation",
                                                      "CUPTI Resource",
                                                      "Runtime Triggered Module Loading",
                                                      "Lazy Function Loading",
                                                      "Command Buffer Full",
                                                      "CUPTI Buffer Request",
                                                      "Unified Memory Tracing Start"};
  if (cupti == kCompiler) return "Driver Compiler";
  const uint32_t number = cupti >> kShift;
  return number < kNames.size() ? kNames[number] : kNames[0];
}

bool launches_kernel(std::string_view call) {
  return call.starts_with("cudaLaunchKernel") || call.starts_with("cudaLaunchCooperativeKernel") ||
         call.starts_with("__cudaLaunchKernel") || call.starts_with("cuLaunchKernel") ||
         call.starts_with("cuLaunchCooperativeKernel") || call.starts_with("cuLaunchGrid") ||
         call.starts_with("cudaLaunch_") || call == "cuLaunch";
}

bool launches_graph(std::string_view call) {
  return call.starts_with("cudaGraphLaunch") || call.starts_with("cuGraphLaunch");
}

}  // namespace sonde::record
