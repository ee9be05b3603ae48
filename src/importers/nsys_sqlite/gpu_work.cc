#include "importers/nsys/rules.h"
#include "importers/nsys/tables.h"

/// Kernels, copies, sets, graph launches, synchronizations and event records: the tables that CUPTI fills.
namespace sonde::nsys {
namespace {

/// Where a GPU operation ran.
class PlaceCells {
 public:
  PlaceCells(TableQuery& query, bool wanted, bool names_device = true)
      : wanted_(wanted),
        names_device_(names_device),
        process_(query.column_if(wanted, "globalPid")),
        device_(query.column_if(wanted, "deviceId")),
        context_(query.column_if(wanted, "contextId")),
        green_(query.column_if(wanted, "greenContextId")),
        stream_(query.column_if(wanted, "streamId")) {}

  void read(auto& row, LocalKeys& keys, Ids& column) const {
    if (!wanted_) return;
    StreamKey key;
    key.process = static_cast<uint64_t>(row.integer(process_, 0));
    key.device = static_cast<int32_t>(row.integer(device_, -1));
    key.context = static_cast<uint32_t>(row.integer(context_, 0));
    key.green_context = green_context_of(row.integer(green_, 0));
    key.stream = static_cast<uint32_t>(row.integer(stream_, kNone));
    key.names_device = names_device_;
    column.push_back(keys.streams.id(key));
  }

 private:
  bool wanted_;
  bool names_device_;
  Cell process_, device_, context_, green_, stream_;
};

/// The columns that all GPU operations share.
class GpuOpCells {
 public:
  GpuOpCells(const NsysFile& file, TableQuery& query, bool names_device = true)
      : start_(query.column("start")),
        end_(query.column("end")),
        correlation_(query.column_if(file.wants(Field::launches), "correlationId")),
        place_(query, file.wants(Field::streams), names_device) {}

  template <typename Table>
  void read(auto& row, Part<Table>& part) const {
    row.put(start_, part.rows.start, int64_t{0});
    row.put(end_, part.rows.end, part.rows.start.back());
    row.put(correlation_, part.rows.correlation, 0U);
    place_.read(row, part, part.rows.stream);
  }

 private:
  Cell start_, end_, correlation_;
  PlaceCells place_;
};

/// Three columns of one name and the endings X, Y, Z.
class Dim3Cells {
 public:
  Dim3Cells(TableQuery& query, bool wanted, const std::string& name)
      : x_(query.column_if(wanted, name + "X")),
        y_(query.column_if(wanted, name + "Y")),
        z_(query.column_if(wanted, name + "Z")) {}
  void read(auto& row, std::vector<Dim3>& column) const {
    if (!x_.wanted) return;
    column.push_back({static_cast<uint32_t>(row.integer(x_, 0)), static_cast<uint32_t>(row.integer(y_, 0)),
                      static_cast<uint32_t>(row.integer(z_, 0))});
  }

 private:
  Cell x_, y_, z_;
};

/// A column that few files have takes no memory in the others.
Cell if_there(Cell cell) {
  cell.wanted = cell.wanted && cell.position >= 0;
  return cell;
}

/// "sharedMemory" is Sonde's own: what it exports of formats that give only the sum of static and dynamic.
class KernelResourceCells {
 public:
  KernelResourceCells(TableQuery& q, bool wanted)
      : registers_(q.column_if(wanted, "registersPerThread")),
        static_shared_(q.column_if(wanted, "staticSharedMemory")),
        dynamic_shared_(q.column_if(wanted, "dynamicSharedMemory")),
        shared_(if_there(q.column_if(wanted, "sharedMemory"))),
        local_(q.column_if(wanted, "localMemoryPerThread")),
        local_total_(q.column_if(wanted, "localMemoryTotal")),
        executed_(q.column_if(wanted, "sharedMemoryExecuted")),
        node_(q.column_if(wanted, "graphNodeId")),
        launch_type_(q.column_if(wanted, "launchType")),
        cluster_(q, wanted, "cluster") {}

  void read(auto& row, Kernels& k) const {
    row.put(registers_, k.registers, kUnknown32);
    row.put(static_shared_, k.static_shared_bytes, kUnknown32);
    row.put(dynamic_shared_, k.dynamic_shared_bytes, kUnknown32);
    row.put(shared_, k.shared_bytes, kUnknown32);
    row.put(local_, k.local_bytes_per_thread, kUnknown32);
    row.put(local_total_, k.local_bytes_total, kUnknown);
    row.put(executed_, k.shared_bytes_executed, kUnknown32);
    row.put(node_, k.graph_node, kUnknown);
    row.put(launch_type_, k.launch_type, uint8_t{255});
    cluster_.read(row, k.cluster);
  }

 private:
  Cell registers_, static_shared_, dynamic_shared_, shared_, local_, local_total_, executed_, node_, launch_type_;
  Dim3Cells cluster_;
};

void read_kernels(NsysFile& file) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_KERNEL");
  if (!file.wants(Field::kernels) || !query.exists()) return;
  const GpuOpCells common(file, query);
  const Cell name = query.column("demangledName");
  const Cell short_name = query.column_if(file.wants(Field::kernel_short_names), "shortName");
  const Cell mangled = query.column_if(file.wants(Field::kernel_mangled_names), "mangledName");
  const Dim3Cells grid(query, file.wants(Field::kernel_grid), "grid");
  const Dim3Cells block(query, file.wants(Field::kernel_grid), "block");
  const KernelResourceCells resources(query, file.wants(Field::kernel_resources));
  const bool details = file.wants(Field::kernel_launch_details);
  const Cell grid_id = query.column_if(details, "gridId");
  const Cell cache = query.column_if(details, "cacheConfig");
  const Cell shared_limit = query.column_if(details, "sharedMemoryLimitConfig");
  file.read_table(query, file.trace().kernels, {&Kernels::name, &Kernels::short_name, &Kernels::mangled_name},
                  [&](auto& row, Part<Kernels>& part) {
                    common.read(row, part);
                    row.put_name(name, part.rows.name);
                    row.put_name(short_name, part.rows.short_name);
                    row.put_name(mangled, part.rows.mangled_name);
                    grid.read(row, part.rows.grid);
                    block.read(row, part.rows.block);
                    resources.read(row, part.rows);
                    row.put(grid_id, part.rows.grid_id, kUnknown);
                    row.put(cache, part.rows.cache_config, uint8_t{255});
                    row.put(shared_limit, part.rows.shared_limit_config, uint8_t{255});
                  });
}

void read_copies(NsysFile& file) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_MEMCPY");
  if (!file.wants(Field::copies) || !query.exists()) return;
  const GpuOpCells common(file, query);
  const Cell bytes = query.column("bytes");
  const Cell kind = query.column("copyKind");
  const Cell source = query.column("srcKind");
  const Cell destination = query.column("dstKind");
  const Cell address = query.column("virtualAddress");
  const Cell cause = query.column("migrationCause");
  const Cell node = query.column("graphNodeId");
  const Cell source_device = query.column("srcDeviceId");
  const Cell source_context = query.column("srcContextId");
  const Cell destination_device = query.column("dstDeviceId");
  const Cell destination_context = query.column("dstContextId");
  file.read_table(query, file.trace().copies, {}, [&](auto& row, Part<Copies>& part) {
    common.read(row, part);
    row.put(bytes, part.rows.bytes, kUnknown);
    row.put(kind, part.rows.kind, uint8_t{0});
    row.put(source, part.rows.source, static_cast<uint8_t>(MemoryKind::absent));
    row.put(destination, part.rows.destination, static_cast<uint8_t>(MemoryKind::absent));
    row.put(address, part.rows.address, kUnknown);
    row.put(cause, part.rows.migration_cause, uint8_t{255});
    row.put(node, part.rows.graph_node, kUnknown);
    row.put(source_device, part.rows.source_device, kNone);
    row.put(source_context, part.rows.source_context, kNone);
    row.put(destination_device, part.rows.destination_device, kNone);
    row.put(destination_context, part.rows.destination_context, kNone);
  });
}

void read_sets(NsysFile& file) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_MEMSET");
  if (!file.wants(Field::sets) || !query.exists()) return;
  const GpuOpCells common(file, query);
  const Cell bytes = query.column("bytes");
  const Cell value = query.column("value");
  const Cell memory = query.column("memKind");
  const Cell node = query.column("graphNodeId");
  file.read_table(query, file.trace().sets, {}, [&](auto& row, Part<Sets>& part) {
    common.read(row, part);
    row.put(bytes, part.rows.bytes, kUnknown);
    row.put(value, part.rows.value, kNone);
    row.put(memory, part.rows.memory, static_cast<uint8_t>(MemoryKind::absent));
    row.put(node, part.rows.graph_node, kUnknown);
  });
}

void read_graph_launches(NsysFile& file) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
  if (!file.wants(Field::graph_launches) || !query.exists()) return;
  const GpuOpCells common(file, query);
  const Cell graph = query.column("graphId");
  const Cell executable = query.column("graphExecId");
  file.read_table(query, file.trace().graph_launches, {}, [&](auto& row, Part<GraphLaunches>& part) {
    common.read(row, part);
    row.put(graph, part.rows.graph, kNone);
    row.put(executable, part.rows.executable, kNone);
  });
}

void read_syncs(NsysFile& file) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
  if (!file.wants(Field::syncs) || !query.exists()) return;
  const GpuOpCells common(file, query, false);
  const Cell stream = query.column("streamId");
  const Cell event = query.column("eventId");
  const Cell type = query.column("syncType");
  file.read_table(query, file.trace().syncs, {}, [&](auto& row, Part<Syncs>& part) {
    common.read(row, part);
    const auto event_id = static_cast<uint32_t>(row.integer(event, kUnset));
    const bool has_stream = row.integer(stream, kUnset) != kUnset;
    part.rows.kind.push_back(static_cast<uint8_t>(sync_kind(has_stream, event_id != kUnset)));
    part.rows.event.push_back(event_id);
    row.put(type, part.rows.raw_type, kNone);
  });
}

void read_cuda_events(NsysFile& file) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_CUDA_EVENT");
  if (!file.wants(Field::cuda_events) || !query.exists()) return;
  const PlaceCells place(query, true, false);
  const Cell time = query.column("timestamp");
  const Cell correlation = query.column("correlationId");
  const Cell event = query.column("eventId");
  file.read_table(query, file.trace().cuda_events, {}, [&](auto& row, Part<CudaEvents>& part) {
    // Before schema 3.24 there is no time; from then on 0 is what the recorder writes when it has none.
    const int64_t at = row.integer(time, 0);
    part.rows.start.push_back(at == 0 ? kUnknown : at);
    place.read(row, part, part.rows.stream);
    row.put(correlation, part.rows.correlation, 0U);
    row.put(event, part.rows.event, kNone);
  });
}

bool has_gpu_work(const NsysFile& file) {
  return file.has_rows("CUPTI_ACTIVITY_KIND_KERNEL") || file.has_rows("CUPTI_ACTIVITY_KIND_MEMCPY") ||
         file.has_rows("CUPTI_ACTIVITY_KIND_MEMSET") || file.has_rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
}

}  // namespace

void read_gpu_work(NsysFile& file) {
  read_kernels(file);
  read_copies(file);
  read_sets(file);
  read_graph_launches(file);
  read_syncs(file);
  read_cuda_events(file);
  note_missing_gpu_work(file.trace().log, {.api_calls = file.has_rows("CUPTI_ACTIVITY_KIND_RUNTIME"),
                                           .gpu_work = has_gpu_work(file),
                                           .whole_graphs = file.has_rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE")});
}

}  // namespace sonde::nsys
