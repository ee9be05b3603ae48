#include <atomic>

#include "importers/nsys/rules.h"
#include "importers/nvprof/session.h"

/// Kernels, copies, memsets, synchronizations and events of a database of nvprof.
namespace sonde::nvprof {
namespace {

/// The columns that all GPU operations share.
class OpCells {
 public:
  OpCells(const NsysFile& file, TableQuery& q, const Session& session)
      : session_(session),
        wants_stream_(file.wants(Field::streams)),
        start_(q.column("start")),
        end_(q.column("end")),
        correlation_(q.column_if(file.wants(Field::launches), "correlationId")),
        device_(q.column_if(wants_stream_, "deviceId")),
        context_(q.column_if(wants_stream_, "contextId")),
        stream_(q.column_if(wants_stream_, "streamId")) {}

  [[nodiscard]] StreamKey stream_key(auto& row) const {
    StreamKey key;
    key.process = session_.process;
    const int64_t context = row.integer(context_, 0);
    const auto device = session_.device_of_context.find(context);
    const int64_t of_context = device == session_.device_of_context.end() ? -1 : device->second;
    key.device = static_cast<int32_t>(row.integer(device_, of_context));
    key.context = static_cast<uint32_t>(context);
    key.stream = static_cast<uint32_t>(row.integer(stream_, kNone));
    return key;
  }
  /// CUPTI writes 0 for both times of what it could not measure.
  [[nodiscard]] bool has_time(auto& row) const { return row.integer(start_, 0) != 0 || row.integer(end_, 0) != 0; }

  template <typename Table>
  void read(auto& row, Part<Table>& part) const {
    row.put(start_, part.rows.start, int64_t{0});
    row.put(end_, part.rows.end, part.rows.start.back());
    row.put(correlation_, part.rows.correlation, 0U);
    if (wants_stream_) part.rows.stream.push_back(part.streams.id(stream_key(row)));
  }

 private:
  const Session& session_;
  bool wants_stream_;
  Cell start_, end_, correlation_, device_, context_, stream_;
};

/// A column only where the file has it: one that no row has takes no memory.
Cell present(Cell cell) {
  cell.wanted = cell.wanted && cell.position >= 0;
  return cell;
}

class ShapeCells {
 public:
  ShapeCells(TableQuery& q, bool wanted, const std::string& name)
      : wanted_(wanted), x_(q.column(name + "X")), y_(q.column(name + "Y")), z_(q.column(name + "Z")) {}
  void read(auto& row, std::vector<Dim3>& column) const {
    const auto axis = [&](Cell cell) { return static_cast<uint32_t>(row.integer(cell, 1)); };
    if (wanted_) column.push_back({axis(x_), axis(y_), axis(z_)});
  }

 private:
  bool wanted_;
  Cell x_, y_, z_;
};

class ResourceCells {
 public:
  ResourceCells(const NsysFile& file, TableQuery& q) {
    const bool resources = file.wants(Field::kernel_resources);
    registers_ = q.column_if(resources, "registersPerThread");
    static_shared_ = q.column_if(resources, "staticSharedMemory");
    dynamic_shared_ = q.column_if(resources, "dynamicSharedMemory");
    local_ = q.column_if(resources, "localMemoryPerThread");
    local_total_ = q.column_if(resources, "localMemoryTotal");
    executed_ = present(q.column_if(resources, "sharedMemoryExecuted"));
    launch_type_ = present(q.column_if(resources, "launchType"));
    grid_id_ = q.column_if(file.wants(Field::kernel_launch_details), "gridId");
  }
  void read(auto& row, Kernels& k) const {
    row.put(registers_, k.registers, kUnknown32);
    row.put(static_shared_, k.static_shared_bytes, kUnknown32);
    row.put(dynamic_shared_, k.dynamic_shared_bytes, kUnknown32);
    row.put(local_, k.local_bytes_per_thread, kUnknown32);
    row.put(local_total_, k.local_bytes_total, kUnknown);
    row.put(executed_, k.shared_bytes_executed, kUnknown32);
    row.put(launch_type_, k.launch_type, uint8_t{255});
    row.put(grid_id_, k.grid_id, kUnknown);
  }

 private:
  Cell registers_, static_shared_, dynamic_shared_, local_, local_total_, executed_, launch_type_, grid_id_;
};

/// Reads a table whose rows are GPU operations; those without a time are counted.
template <typename Table, typename Row>
void read_operations(NsysFile& file, const TableQuery& query, const OpCells& common, Table& table,
                     std::initializer_list<Ids Table::*> names, Row&& read_row) {
  std::atomic<int64_t> untimed = 0;
  file.read_table(query, table, names, [&](auto& row, Part<Table>& part) {
    if (!common.has_time(row)) {
      ++untimed;
      return;
    }
    common.read(row, part);
    read_row(row, part);
  });
  file.trace().log.add(Issue::no_gpu_time, query.table(), untimed);
}

void read_kernels(NsysFile& file, const Session& session, std::string_view table) {
  TableQuery query = file.query(table);
  if (!file.wants(Field::kernels) || !query.exists()) return;
  const OpCells common(file, query, session);
  const Cell name = query.column("name");
  const ShapeCells grid(query, file.wants(Field::kernel_grid), "grid");
  const ShapeCells block(query, file.wants(Field::kernel_grid), "block");
  const ResourceCells resources(file, query);
  read_operations(file, query, common, file.trace().kernels, {&Kernels::name}, [&](auto& row, Part<Kernels>& part) {
    part.rows.name.push_back(text_id(row, name));
    grid.read(row, part.rows.grid);
    block.read(row, part.rows.block);
    resources.read(row, part.rows);
  });
}

/// CUpti_ActivityMemoryKind in the model's numbers, which are Nsight's.
MemoryKind memory_kind(int64_t kind) {
  switch (kind) {
    case 0: return MemoryKind::unknown;
    case 1: return MemoryKind::pageable;
    case 2: return MemoryKind::pinned;
    case 3: return MemoryKind::device;
    case 4: return MemoryKind::array;
    case 5: return MemoryKind::managed;
    case 6: return MemoryKind::device_static;
    case 7: return MemoryKind::managed_static;
    default: return MemoryKind::absent;
  }
}

/// MEMCPY2 has the copies between two GPUs.
void read_copies(NsysFile& file, const Session& session, std::string_view table) {
  TableQuery query = file.query(table);
  if (!file.wants(Field::copies) || !query.exists()) return;
  const OpCells common(file, query, session);
  const Cell bytes = query.column("bytes");
  const Cell kind = query.column("copyKind");
  const Cell source = query.column("srcKind");
  const Cell destination = query.column("dstKind");
  const Cell source_device = query.column("srcDeviceId");
  const Cell source_context = query.column("srcContextId");
  const Cell destination_device = query.column("dstDeviceId");
  const Cell destination_context = query.column("dstContextId");
  read_operations(file, query, common, file.trace().copies, {}, [&](auto& row, Part<Copies>& part) {
    Copies& c = part.rows;
    row.put(bytes, c.bytes, kUnknown);
    row.put(kind, c.kind, uint8_t{0});
    c.source.push_back(static_cast<uint8_t>(memory_kind(row.integer(source, -1))));
    c.destination.push_back(static_cast<uint8_t>(memory_kind(row.integer(destination, -1))));
    row.put(source_device, c.source_device, kNone);
    row.put(source_context, c.source_context, kNone);
    row.put(destination_device, c.destination_device, kNone);
    row.put(destination_context, c.destination_context, kNone);
  });
}

void read_sets(NsysFile& file, const Session& session) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_MEMSET");
  if (!file.wants(Field::sets) || !query.exists()) return;
  const OpCells common(file, query, session);
  const Cell bytes = query.column("bytes");
  const Cell value = query.column("value");
  const Cell memory = query.column("memoryKind");
  read_operations(file, query, common, file.trace().sets, {}, [&](auto& row, Part<Sets>& part) {
    row.put(bytes, part.rows.bytes, kUnknown);
    row.put(value, part.rows.value, kNone);
    part.rows.memory.push_back(static_cast<uint8_t>(memory_kind(row.integer(memory, -1))));
  });
}

void read_syncs(NsysFile& file, const Session& session) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
  if (!file.wants(Field::syncs) || !query.exists()) return;
  const OpCells common(file, query, session);
  const Cell stream = query.column("streamId");
  const Cell event = query.column("cudaEventId");
  const auto is_set = [](auto& row, Cell cell) {
    return static_cast<uint32_t>(row.integer(cell, nsys::kUnset)) != nsys::kUnset;
  };
  read_operations(file, query, common, file.trace().syncs, {}, [&](auto& row, Part<Syncs>& part) {
    part.rows.kind.push_back(static_cast<uint8_t>(nsys::sync_kind(is_set(row, stream), is_set(row, event))));
    part.rows.event.push_back(static_cast<uint32_t>(row.integer(event, kNone)));
  });
}

/// nvprof knows that a program recorded an event on a stream, and not when the GPU reached it.
void read_cuda_events(NsysFile& file, const Session& session) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_CUDA_EVENT");
  if (!file.wants(Field::cuda_events) || !query.exists()) return;
  const OpCells place(file, query, session);
  const Cell correlation = query.column("correlationId");
  const Cell event = query.column("eventId");
  file.read_table(query, file.trace().cuda_events, {}, [&](auto& row, Part<CudaEvents>& part) {
    part.rows.start.push_back(kUnknown);
    part.rows.stream.push_back(part.streams.id(place.stream_key(row)));
    row.put(correlation, part.rows.correlation, 0U);
    row.put(event, part.rows.event, kNone);
  });
}

}  // namespace

void read_gpu_work(NsysFile& file, const Session& session) {
  // The first is of recordings that let kernels run side by side, the second of the others, the third of kernels that
  // kernels launched.
  read_kernels(file, session, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL");
  read_kernels(file, session, "CUPTI_ACTIVITY_KIND_KERNEL");
  read_kernels(file, session, "CUPTI_ACTIVITY_KIND_CDP_KERNEL");
  read_copies(file, session, "CUPTI_ACTIVITY_KIND_MEMCPY");
  read_copies(file, session, "CUPTI_ACTIVITY_KIND_MEMCPY2");
  read_sets(file, session);
  read_syncs(file, session);
  read_cuda_events(file, session);
  const auto has = [&](std::string_view kind) { return file.has_rows(fmt::format("CUPTI_ACTIVITY_KIND_{}", kind)); };
  nsys::note_missing_gpu_work(
      file.trace().log, {.api_calls = has("RUNTIME") || has("DRIVER"),
                         .gpu_work = has("CONCURRENT_KERNEL") || has("KERNEL") || has("CDP_KERNEL") || has("MEMCPY") ||
                                     has("MEMCPY2") || has("MEMSET")});
}

void read_unified_memory(NsysFile& file, const Session& session) {
  // CUpti_ActivityUnifiedMemoryCounterKind
  enum Kind : int64_t { kToDevice = 1, kToHost = 2, kCpuFaults = 3, kGpuFaults = 4, kBetweenDevices = 8 };
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER");
  if (!query.exists()) return;
  const Cell kind = query.column("counterKind");
  const Cell value = query.column("value");
  const Cell start = query.column("start");
  const Cell end = query.column("end");
  const Cell address = query.column("address");
  const Cell source = query.column("srcId");
  const Cell destination = query.column("dstId");
  const Cell stream = query.column("streamId");
  const Cell cause = query.column("flags");
  Part<Copies> copies;
  Part<PageFaults> faults;
  file.each_row(query, [&](auto& row) {
    const int64_t what = row.integer(kind, 0);
    const int64_t from = row.integer(start, 0);
    if (from == 0) return;
    if ((what == kToDevice || what == kToHost || what == kBetweenDevices) && file.wants(Field::copies)) {
      Copies& c = copies.rows;
      StreamKey key;
      key.process = session.process;
      key.device = static_cast<int32_t>(row.integer(what == kToDevice ? destination : source, -1));
      key.stream = static_cast<uint32_t>(row.integer(stream, kNone));
      c.start.push_back(from);
      c.end.push_back(row.integer(end, from));
      if (file.wants(Field::streams)) c.stream.push_back(copies.streams.id(key));
      if (file.wants(Field::launches)) c.correlation.push_back(0);
      c.bytes.push_back(row.integer(value, kUnknown));
      c.kind.push_back(static_cast<uint8_t>(what == kToDevice ? CopyKind::unified_host_to_device
                                            : what == kToHost ? CopyKind::unified_device_to_host
                                                              : CopyKind::unified_device_to_device));
      c.source.push_back(static_cast<uint8_t>(MemoryKind::managed));
      c.destination.push_back(static_cast<uint8_t>(MemoryKind::managed));
      row.put(address, c.address, kUnknown);
      row.put(cause, c.migration_cause, uint8_t{255});
    } else if ((what == kCpuFaults || what == kGpuFaults) && file.wants(Field::page_faults)) {
      PageFaults& f = faults.rows;
      f.start.push_back(from);
      f.end.push_back(what == kGpuFaults ? row.integer(end, kUnknown) : kUnknown);
      f.process.push_back(faults.processes.id(session.process));
      f.device.push_back(what == kGpuFaults ? static_cast<int32_t>(row.integer(source, -1)) : -1);
      row.put(address, f.address, kUnknown);
      f.count.push_back(what == kGpuFaults ? row.integer(value, kUnknown) : 1);
      f.access.push_back(255);
      f.instruction.push_back(kNone);
      f.module.push_back(kNone);
    }
  });
  const IdMap copy_keys = file.adopt(copies);
  file.append(std::move(copies.rows), copy_keys, file.trace().copies, {});
  const IdMap fault_keys = file.adopt(faults);
  file.append(std::move(faults.rows), fault_keys, file.trace().page_faults, {});
}

}  // namespace sonde::nvprof
