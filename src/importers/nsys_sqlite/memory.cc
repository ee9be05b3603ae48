#include "importers/nsys/tables.h"

/// Device memory over time and unified-memory page faults.
namespace sonde::nsys {
namespace {

void read_allocations(NsysFile& file) {
  TableQuery query = file.query("CUDA_GPU_MEMORY_USAGE_EVENTS");
  if (!file.wants(Field::allocations) || !query.exists()) return;
  const Cell start = query.column("start");
  const Cell process = query.column("globalPid");
  const Cell device = query.column("deviceId");
  const Cell address = query.column("address");
  const Cell bytes = query.column("bytes");
  const Cell memory = query.column("memKind");
  const Cell operation = query.column("memoryOperationType");
  const Cell name = query.column("name");
  const Cell correlation = query.column("correlationId");
  file.read_table(query, file.trace().allocations, {&Allocations::name}, [&](auto& row, Part<Allocations>& part) {
    Allocations& a = part.rows;
    row.put(start, a.start, int64_t{0});
    a.process.push_back(part.processes.id(static_cast<uint64_t>(row.integer(process, 0))));
    row.put(device, a.device, kUnknown32);
    row.put(operation, a.kind, uint8_t{0});
    row.put(memory, a.memory, static_cast<uint8_t>(MemoryKind::absent));
    row.put(bytes, a.bytes, kUnknown);
    row.put(address, a.address, kUnknown);
    a.name.push_back(row.is_null(name) ? kNone : part.texts.intern(row.text(name)) | kInlineText);
    row.put(correlation, a.correlation, 0U);
  });
}

void read_cpu_faults(NsysFile& file) {
  TableQuery query = file.query("CUDA_UM_CPU_PAGE_FAULT_EVENTS");
  if (!query.exists()) return;
  const Cell start = query.column("start");
  const Cell process = query.column("globalPid");
  const Cell address = query.column("address");
  const Cell instruction = query.column("CpuInstruction");
  const Cell module = query.column("module");
  file.read_table(query, file.trace().page_faults, {&PageFaults::instruction, &PageFaults::module},
                  [&](auto& row, Part<PageFaults>& part) {
                    PageFaults& f = part.rows;
                    row.put(start, f.start, int64_t{0});
                    f.end.push_back(kUnknown);
                    f.process.push_back(part.processes.id(static_cast<uint64_t>(row.integer(process, 0))));
                    f.device.push_back(-1);
                    row.put(address, f.address, kUnknown);
                    f.count.push_back(1);
                    row.put_name(instruction, f.instruction);
                    row.put_name(module, f.module);
                  });
}

void read_gpu_faults(NsysFile& file) {
  TableQuery query = file.query("CUDA_UM_GPU_PAGE_FAULT_EVENTS");
  if (!query.exists()) return;
  const Cell start = query.column("start");
  const Cell end = query.column("end");
  const Cell process = query.column("globalPid");
  const Cell device = query.column("deviceId");
  const Cell address = query.column("address");
  const Cell count = query.column("numberOfPageFaults");
  const Cell access = query.column("faultAccessType");
  file.read_table(query, file.trace().page_faults, {}, [&](auto& row, Part<PageFaults>& part) {
    PageFaults& f = part.rows;
    row.put(start, f.start, int64_t{0});
    row.put(end, f.end, kUnknown);
    f.process.push_back(part.processes.id(static_cast<uint64_t>(row.integer(process, 0))));
    row.put(device, f.device, kUnknown32);
    row.put(address, f.address, kUnknown);
    row.put(count, f.count, int64_t{1});
    row.put(access, f.access, uint8_t{255});
  });
}

}  // namespace

void read_memory(NsysFile& file) {
  read_allocations(file);
  if (!file.wants(Field::page_faults)) return;
  read_cpu_faults(file);
  read_gpu_faults(file);
}

}  // namespace sonde::nsys
