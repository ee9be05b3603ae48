#include <array>

#include "exporters/nsys/sections.h"

namespace sonde::nsys_export {
namespace {

using AllocationColumn = ColumnOf<Allocations>;
constexpr std::array kAllocationColumns = {
    AllocationColumn{"start", kIntegerSet, start_of<Allocations>},
    AllocationColumn{"globalPid", kIntegerSet, process_of<Allocations>},
    AllocationColumn{
        "deviceId", kIntegerSet,
        [](const Context&, const Allocations& a, size_t row) { return cell(a.device, row).otherwise(kNoId); }},
    AllocationColumn{"contextId", kIntegerSet, [](const Context&, const Allocations&, size_t) { return Cell(kNoId); }},
    AllocationColumn{
        "address", kIntegerSet,
        [](const Context&, const Allocations& a, size_t row) { return cell(a.address, row).otherwise(0); }},
    AllocationColumn{"pc", kIntegerSet, [](const Context&, const Allocations&, size_t) { return Cell(int64_t{0}); }},
    AllocationColumn{"bytes", kIntegerSet,
                     [](const Context&, const Allocations& a, size_t row) { return cell(a.bytes, row).otherwise(0); }},
    AllocationColumn{"memKind", kIntegerSet,
                     [](const Context&, const Allocations& a, size_t row) {
                       return code(a.memory, row).otherwise(static_cast<int64_t>(MemoryKind::unknown));
                     }},
    AllocationColumn{"memoryOperationType", kIntegerSet,
                     [](const Context&, const Allocations& a, size_t row) { return code(a.kind, row).otherwise(0); }},
    AllocationColumn{"name", kText,
                     [](const Context& c, const Allocations& a, size_t row) {
                       return a.name.empty() || a.name[row] == kNone ? Cell() : Cell(c.trace.name(a.name[row]));
                     }},
    AllocationColumn{"correlationId", kInteger,
                     [](const Context&, const Allocations& a, size_t row) { return cell(a.correlation, row); }},
};

using FaultColumn = ColumnOf<PageFaults>;

Cell address_of(const Context&, const PageFaults& f, size_t row) { return cell(f.address, row).otherwise(0); }

constexpr std::array kCpuFaultColumns = {
    FaultColumn{"start", kIntegerSet, start_of<PageFaults>},
    FaultColumn{"globalPid", kIntegerSet, process_of<PageFaults>},
    FaultColumn{"address", kIntegerSet, address_of},
    FaultColumn{"originalFaultPc", kInteger},
    FaultColumn{"CpuInstruction", kIntegerSet,
                [](const Context& c, const PageFaults& f, size_t row) { return text_id(c, f.instruction, row); }},
    FaultColumn{"module", kIntegerSet,
                [](const Context& c, const PageFaults& f, size_t row) { return text_id(c, f.module, row); }},
    FaultColumn{"unresolvedFaultPc", kInteger},
};

constexpr std::array kGpuFaultColumns = {
    FaultColumn{"start", kIntegerSet, start_of<PageFaults>},
    FaultColumn{"end", kIntegerSet, end_of<PageFaults>},
    FaultColumn{"globalPid", kIntegerSet, process_of<PageFaults>},
    FaultColumn{"deviceId", kIntegerSet,
                [](const Context&, const PageFaults& f, size_t row) { return cell(f.device, row).otherwise(0); }},
    FaultColumn{"address", kIntegerSet, address_of},
    FaultColumn{"numberOfPageFaults", kIntegerSet,
                [](const Context&, const PageFaults& f, size_t row) { return cell(f.count, row).otherwise(0); }},
    FaultColumn{"faultAccessType", kIntegerSet,
                [](const Context&, const PageFaults& f, size_t row) { return code(f.access, row).otherwise(0); }},
};

}  // namespace

Status write_memory_events(Output& out, const Context& c) {
  const Allocations& a = c.trace.allocations;
  const PageFaults& f = c.trace.page_faults;
  const auto on_gpu = [&](size_t row) { return !f.device.empty() && f.device[row] >= 0; };
  SONDE_TRY(write_rows<Allocations>(out, "CUDA_GPU_MEMORY_USAGE_EVENTS", kAllocationColumns, c, a, row_count(a)));
  SONDE_TRY(write_rows<PageFaults>(out, "CUDA_UM_GPU_PAGE_FAULT_EVENTS", kGpuFaultColumns, c, f, row_count(f), on_gpu));
  return write_rows<PageFaults>(out, "CUDA_UM_CPU_PAGE_FAULT_EVENTS", kCpuFaultColumns, c, f, row_count(f),
                                [&](size_t row) { return !on_gpu(row); });
}

}  // namespace sonde::nsys_export
