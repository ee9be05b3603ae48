#include "gate/record/recorded.h"

#include <algorithm>

#include "analyses/measured/kernel_durations.h"
#include "analyses/tables/distribution.h"
#include "trace/columns.h"

namespace sonde::gate {
namespace {

/// Whether a copy from or to the host does not tell of which kind the memory there is. Pages that unified memory moves
/// are none.
bool hides_memory(const Copies& copies, Row row) {
  constexpr auto kUnknownMemory = static_cast<uint8_t>(MemoryKind::unknown);
  switch (static_cast<CopyKind>(copies.kind[row])) {
    case CopyKind::host_to_device:
    case CopyKind::host_to_array: return copies.source[row] >= kUnknownMemory;
    case CopyKind::device_to_host:
    case CopyKind::array_to_host: return copies.destination[row] >= kUnknownMemory;
    case CopyKind::host_to_host:
    case CopyKind::unknown: return copies.source[row] >= kUnknownMemory || copies.destination[row] >= kUnknownMemory;
    default: return false;
  }
}

bool records_memory_kind(const Copies& copies) {
  for (Row row = 0; row < row_count(copies); ++row) {
    if (hides_memory(copies, row)) return false;
  }
  return true;
}

}  // namespace

Recorded recorded_of(const Trace& trace) {
  const bool gpu_work =
      row_count(trace.kernels) + row_count(trace.copies) + row_count(trace.sets) + row_count(trace.graph_launches) > 0;
  return {.gpu_work = gpu_work,
          .whole_graphs = row_count(trace.graph_launches) > 0,
          .copy_memory = gpu_work && records_memory_kind(trace.copies),
          .api_calls = row_count(trace.api) > 0};
}

std::optional<double> mean_kernel_ns(const Trace& trace) {
  std::vector<int64_t> durations = kernel_durations(trace);
  if (durations.empty()) return std::nullopt;
  return distribution_of(durations).mean;
}

}  // namespace sonde::gate
