#include <array>

#include "exporters/nsys/sections.h"

namespace sonde::nsys_export {
namespace {

template <typename Table>
const Stream* stream_at(const Context& c, const Table& table, size_t row) {
  return table.stream.empty() || table.stream[row] == kNone ? nullptr : &c.trace.streams[table.stream[row]];
}

template <typename Table>
Cell device_of(const Context& c, const Table& table, size_t row) {
  const Stream* s = stream_at(c, table, row);
  return int64_t{s == nullptr ? 0 : s->ordinal};
}

template <typename Table>
Cell context_of(const Context& c, const Table& table, size_t row) {
  const Stream* s = stream_at(c, table, row);
  return int64_t{s == nullptr ? 0 : s->context};
}

template <typename Table>
Cell green_context_of(const Context& c, const Table& table, size_t row) {
  const Stream* s = stream_at(c, table, row);
  return s == nullptr ? Cell() : Cell(s->green_context);
}

template <typename Table>
Cell stream_of(const Context& c, const Table& table, size_t row) {
  const Stream* s = stream_at(c, table, row);
  return Cell(s == nullptr ? kNone : s->stream).otherwise(kNoId);
}

template <typename Table>
Cell correlation_of(const Context&, const Table& table, size_t row) {
  return cell(table.correlation, row);
}

template <typename Table>
Cell global_pid_of(const Context& c, const Table& table, size_t row) {
  const Stream* s = stream_at(c, table, row);
  return s == nullptr ? Cell() : Cell(c.ids.process(s->process));
}

template <typename Table>
Cell graph_node_of(const Context&, const Table& table, size_t row) {
  return cell(table.graph_node, row);
}

template <auto member, int64_t fallback, typename Table = Kernels>
Cell plain_or(const Context&, const Table& table, size_t row) {
  return cell(table.*member, row).otherwise(fallback);
}

template <auto member, size_t axis>
Cell extent(const Context&, const Kernels& k, size_t row) {
  const auto& column = k.*member;
  return column.empty() ? Cell() : Cell(int64_t{column[row][axis]});
}

template <auto member, size_t axis>
Cell extent_set(const Context& c, const Kernels& k, size_t row) {
  return extent<member, axis>(c, k, row).otherwise(0);
}

/// A row without a short name, as other formats give none, shows its whole name.
Cell short_name(const Context& c, const Kernels& k, size_t row) {
  return cell(k.short_name, row).otherwise(name_of(c, k, row).integer);
}

using KernelColumn = ColumnOf<Kernels>;
constexpr std::array kKernelColumns = {
    KernelColumn{"start", kIntegerSet, start_of<Kernels>},
    KernelColumn{"end", kIntegerSet, end_of<Kernels>},
    KernelColumn{"deviceId", kIntegerSet, device_of<Kernels>},
    KernelColumn{"contextId", kIntegerSet, context_of<Kernels>},
    KernelColumn{"greenContextId", kInteger, green_context_of<Kernels>},
    KernelColumn{"streamId", kIntegerSet, stream_of<Kernels>},
    KernelColumn{"correlationId", kInteger, correlation_of<Kernels>},
    KernelColumn{"globalPid", kInteger, global_pid_of<Kernels>},
    KernelColumn{"demangledName", kIntegerSet, name_of<Kernels>},
    KernelColumn{"shortName", kIntegerSet, short_name},
    KernelColumn{"mangledName", kInteger, plain<&Kernels::mangled_name, Kernels>},
    KernelColumn{"launchType", kInteger, code_of<&Kernels::launch_type, Kernels>},
    KernelColumn{"cacheConfig", kInteger, code_of<&Kernels::cache_config, Kernels>},
    KernelColumn{"registersPerThread", kInteger, plain<&Kernels::registers, Kernels>},
    KernelColumn{"gridX", kIntegerSet, extent_set<&Kernels::grid, 0>},
    KernelColumn{"gridY", kIntegerSet, extent_set<&Kernels::grid, 1>},
    KernelColumn{"gridZ", kIntegerSet, extent_set<&Kernels::grid, 2>},
    KernelColumn{"blockX", kIntegerSet, extent_set<&Kernels::block, 0>},
    KernelColumn{"blockY", kIntegerSet, extent_set<&Kernels::block, 1>},
    KernelColumn{"blockZ", kIntegerSet, extent_set<&Kernels::block, 2>},
    KernelColumn{"staticSharedMemory", kInteger, plain<&Kernels::static_shared_bytes, Kernels>},
    KernelColumn{"dynamicSharedMemory", kInteger, plain<&Kernels::dynamic_shared_bytes, Kernels>},
    KernelColumn{"localMemoryPerThread", kInteger, plain<&Kernels::local_bytes_per_thread, Kernels>},
    KernelColumn{"localMemoryTotal", kInteger, plain<&Kernels::local_bytes_total, Kernels>},
    KernelColumn{"gridId", kInteger, plain<&Kernels::grid_id, Kernels>},
    KernelColumn{"sharedMemoryExecuted", kInteger, plain<&Kernels::shared_bytes_executed, Kernels>},
    KernelColumn{"graphNodeId", kInteger, graph_node_of<Kernels>},
    KernelColumn{"sharedMemoryLimitConfig", kInteger, code_of<&Kernels::shared_limit_config, Kernels>},
    KernelColumn{"qmdBulkReleaseDone", kInteger},
    KernelColumn{"qmdPreexitDone", kInteger},
    KernelColumn{"qmdLastCtaDone", kInteger},
    KernelColumn{"graphId", kInteger},
    KernelColumn{"clusterX", kInteger, extent<&Kernels::cluster, 0>},
    KernelColumn{"clusterY", kInteger, extent<&Kernels::cluster, 1>},
    KernelColumn{"clusterZ", kInteger, extent<&Kernels::cluster, 2>},
    KernelColumn{"clusterSchedulingPolicy", kInteger},
    KernelColumn{"maxPotentialClusterSize", kInteger},
    KernelColumn{"maxActiveClusters", kInteger},
    KernelColumn{"sharedMemoryRequestedPercentage", kInteger},
    KernelColumn{"tensorSizeMinusOneElements", kTextSet,
                 [](const Context&, const Kernels&, size_t) { return Cell(std::string_view("[]")); }},
    // Sonde's own: PyTorch gives only the sum of static and dynamic, which Nsight has no column for.
    KernelColumn{"sharedMemory", kInteger, plain<&Kernels::shared_bytes, Kernels>},
};

using CopyColumn = ColumnOf<Copies>;
constexpr std::array kCopyColumns = {
    CopyColumn{"start", kIntegerSet, start_of<Copies>},
    CopyColumn{"end", kIntegerSet, end_of<Copies>},
    CopyColumn{"deviceId", kIntegerSet, device_of<Copies>},
    CopyColumn{"contextId", kIntegerSet, context_of<Copies>},
    CopyColumn{"greenContextId", kInteger, green_context_of<Copies>},
    CopyColumn{"streamId", kIntegerSet, stream_of<Copies>},
    CopyColumn{"correlationId", kInteger, correlation_of<Copies>},
    CopyColumn{"globalPid", kInteger, global_pid_of<Copies>},
    CopyColumn{"bytes", kInteger, plain<&Copies::bytes, Copies>},
    CopyColumn{"copyKind", kIntegerSet, code_of<&Copies::kind, Copies>},
    CopyColumn{"deprecatedSrcId", kInteger},
    CopyColumn{"srcKind", kInteger, code_of<&Copies::source, Copies>},
    CopyColumn{"dstKind", kInteger, code_of<&Copies::destination, Copies>},
    CopyColumn{"srcDeviceId", kInteger, plain<&Copies::source_device, Copies>},
    CopyColumn{"srcContextId", kInteger, plain<&Copies::source_context, Copies>},
    CopyColumn{"dstDeviceId", kInteger, plain<&Copies::destination_device, Copies>},
    CopyColumn{"dstContextId", kInteger, plain<&Copies::destination_context, Copies>},
    CopyColumn{"migrationCause", kInteger, code_of<&Copies::migration_cause, Copies>},
    CopyColumn{"graphNodeId", kInteger, graph_node_of<Copies>},
    CopyColumn{"virtualAddress", kInteger, plain<&Copies::address, Copies>},
    CopyColumn{"copyCount", kInteger},
};

using SetColumn = ColumnOf<Sets>;
constexpr std::array kSetColumns = {
    SetColumn{"start", kIntegerSet, start_of<Sets>},
    SetColumn{"end", kIntegerSet, end_of<Sets>},
    SetColumn{"deviceId", kIntegerSet, device_of<Sets>},
    SetColumn{"contextId", kIntegerSet, context_of<Sets>},
    SetColumn{"greenContextId", kInteger, green_context_of<Sets>},
    SetColumn{"streamId", kIntegerSet, stream_of<Sets>},
    SetColumn{"correlationId", kInteger, correlation_of<Sets>},
    SetColumn{"globalPid", kInteger, global_pid_of<Sets>},
    SetColumn{"value", kInteger, plain<&Sets::value, Sets>},
    SetColumn{"bytes", kInteger, plain<&Sets::bytes, Sets>},
    SetColumn{"graphNodeId", kInteger, graph_node_of<Sets>},
    SetColumn{"memKind", kInteger, code_of<&Sets::memory, Sets>},
};

using GraphLaunchColumn = ColumnOf<GraphLaunches>;
constexpr std::array kGraphLaunchColumns = {
    GraphLaunchColumn{"start", kIntegerSet, start_of<GraphLaunches>},
    GraphLaunchColumn{"end", kIntegerSet, end_of<GraphLaunches>},
    GraphLaunchColumn{"deviceId", kIntegerSet, device_of<GraphLaunches>},
    GraphLaunchColumn{"contextId", kIntegerSet, context_of<GraphLaunches>},
    GraphLaunchColumn{"greenContextId", kInteger, green_context_of<GraphLaunches>},
    GraphLaunchColumn{"streamId", kIntegerSet, stream_of<GraphLaunches>},
    GraphLaunchColumn{"correlationId", kInteger, correlation_of<GraphLaunches>},
    GraphLaunchColumn{"globalPid", kInteger, global_pid_of<GraphLaunches>},
    GraphLaunchColumn{"graphId", kInteger, plain<&GraphLaunches::graph, GraphLaunches>},
    GraphLaunchColumn{"graphExecId", kInteger, plain<&GraphLaunches::executable, GraphLaunches>},
};

/// ENUM_CUPTI_SYNC_TYPE, for rows whose source has other numbers or none.
Cell sync_type(const Context&, const Syncs& s, size_t row) {
  if (!s.raw_type.empty() && s.raw_type[row] != kNone) return int64_t{s.raw_type[row]};
  switch (s.kind.empty() ? SyncKind::device : static_cast<SyncKind>(s.kind[row])) {
    case SyncKind::event: return int64_t{1};
    case SyncKind::stream_waits_event: return int64_t{2};
    case SyncKind::stream: return int64_t{3};
    case SyncKind::device: return int64_t{4};
  }
  return int64_t{0};
}

using SyncColumn = ColumnOf<Syncs>;
constexpr std::array kSyncColumns = {
    SyncColumn{"start", kIntegerSet, start_of<Syncs>},
    SyncColumn{"end", kIntegerSet, end_of<Syncs>},
    SyncColumn{"deviceId", kIntegerSet, device_of<Syncs>},
    SyncColumn{"contextId", kIntegerSet, context_of<Syncs>},
    SyncColumn{"greenContextId", kInteger, green_context_of<Syncs>},
    SyncColumn{"streamId", kIntegerSet, stream_of<Syncs>},
    SyncColumn{"correlationId", kInteger, correlation_of<Syncs>},
    SyncColumn{"globalPid", kInteger, global_pid_of<Syncs>},
    SyncColumn{"deprecatedSyncType", kInteger},
    SyncColumn{"syncType", kIntegerSet, sync_type},
    SyncColumn{"eventId", kIntegerSet, plain_or<&Syncs::event, kNoId, Syncs>},
    SyncColumn{"eventSyncId", kInteger},
};

using EventColumn = ColumnOf<CudaEvents>;
constexpr std::array kEventColumns = {
    EventColumn{"timestamp", kInteger,
                [](const Context&, const CudaEvents& e, size_t row) { return Cell(e.start[row]).otherwise(0); }},
    EventColumn{"deviceId", kIntegerSet, device_of<CudaEvents>},
    EventColumn{"contextId", kIntegerSet, context_of<CudaEvents>},
    EventColumn{"greenContextId", kInteger, green_context_of<CudaEvents>},
    EventColumn{"streamId", kIntegerSet, stream_of<CudaEvents>},
    EventColumn{"correlationId", kInteger, correlation_of<CudaEvents>},
    EventColumn{"globalPid", kInteger, global_pid_of<CudaEvents>},
    EventColumn{"eventId", kIntegerSet, plain_or<&CudaEvents::event, kNoId, CudaEvents>},
    EventColumn{"eventSyncId", kInteger},
};

template <typename Table>
Status write_all(Output& out, const Target& target, std::span<const ColumnOf<Table>> columns, const Context& c,
                 const Table& table) {
  return write_rows(out, target, columns, c, table, row_count(table));
}

}  // namespace

Status write_gpu_operations(Output& out, const Context& c) {
  const Trace& t = c.trace;
  SONDE_TRY(write_all<Kernels>(out, "CUPTI_ACTIVITY_KIND_KERNEL", kKernelColumns, c, t.kernels));
  SONDE_TRY(write_all<Copies>(out, "CUPTI_ACTIVITY_KIND_MEMCPY", kCopyColumns, c, t.copies));
  SONDE_TRY(write_all<Sets>(out, "CUPTI_ACTIVITY_KIND_MEMSET", kSetColumns, c, t.sets));
  SONDE_TRY(write_all<GraphLaunches>(out, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kGraphLaunchColumns, c, t.graph_launches));
  SONDE_TRY(write_all<Syncs>(out, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kSyncColumns, c, t.syncs));
  return write_all<CudaEvents>(out, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", kEventColumns, c, t.cuda_events);
}

}  // namespace sonde::nsys_export
