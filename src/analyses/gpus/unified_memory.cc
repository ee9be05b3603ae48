#include "analyses/gpus/unified_memory.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde {
namespace {

bool has_kind(const Copies& copies, Row row, CopyKind kind) { return copies.kind[row] == static_cast<uint8_t>(kind); }

}  // namespace

bool is_migration(const Copies& copies, Row row) {
  return has_kind(copies, row, CopyKind::unified_host_to_device) ||
         has_kind(copies, row, CopyKind::unified_device_to_host);
}

void add_migration(const Copies& copies, Row row, Migrations& sum) {
  const bool to_device = has_kind(copies, row, CopyKind::unified_host_to_device);
  (to_device ? sum.to_device_bytes : sum.to_host_bytes) += copies.bytes[row];
  sum.time_ns += copies.end[row] - copies.start[row];
}

void add_fault(const PageFaults& faults, Row row, FaultCounts& sum) {
  const bool cpu = is_cpu_fault(faults, row);
  const int64_t recorded = cpu || faults.count.empty() ? kUnknown : faults.count[row];
  int64_t& count = cpu ? sum.cpu : sum.gpu;
  count = std::max<int64_t>(count, 0) + (recorded == kUnknown ? 1 : recorded);
}

std::string address_text(int64_t address) { return fmt::format("0x{:X}", static_cast<uint64_t>(address)); }

}  // namespace sonde
