#include <cmath>

#include "exporters/pytorch/writer.h"

namespace sonde::pytorch_export {
namespace {

std::string_view memory_name(uint8_t kind) {
  switch (static_cast<MemoryKind>(kind)) {
    case MemoryKind::pageable: return "Pageable";
    case MemoryKind::pinned: return "Pinned";
    case MemoryKind::device:
    case MemoryKind::device_static: return "Device";
    case MemoryKind::array: return "Array";
    case MemoryKind::managed:
    case MemoryKind::managed_static: return "Managed";
    case MemoryKind::unknown:
    case MemoryKind::absent: break;
  }
  return "Unknown";
}

std::string_view copy_name(uint8_t kind) {
  switch (static_cast<CopyKind>(kind)) {
    case CopyKind::host_to_device: return "HtoD";
    case CopyKind::device_to_host: return "DtoH";
    case CopyKind::host_to_array: return "HtoA";
    case CopyKind::array_to_host: return "AtoH";
    case CopyKind::array_to_array: return "AtoA";
    case CopyKind::array_to_device: return "AtoD";
    case CopyKind::device_to_array: return "DtoA";
    case CopyKind::device_to_device: return "DtoD";
    case CopyKind::host_to_host: return "HtoH";
    case CopyKind::peer_to_peer: return "PtoP";
    case CopyKind::unified_host_to_device: return "UVM HtoD";
    case CopyKind::unified_device_to_host: return "UVM DtoH";
    case CopyKind::unified_device_to_device: return "UVM DtoD";
    case CopyKind::unknown: break;
  }
  return "<unknown>";
}

template <typename T>
T at(const std::vector<T>& column, Row row, T absent) {
  return column.empty() ? absent : column[row];
}

/// What all GPU events say: opens the event and its args.
template <typename Ops>
void open_operation(Writer& w, const Ops& ops, Row row, std::string_view category, std::string_view name) {
  const StreamId stream = at(ops.stream, row, kNone);
  const Place place = w.place_of_stream(stream);
  const ProcessId process = stream == kNone ? kNone : w.trace.streams[stream].process;
  w.open(category, name, place, ops.start[row], ops.end[row]);
  w.append(",\"args\":{");
  const Row launch = at(ops.launch, row, kNone);
  const Row around = launch == kNone ? kNone : operator_around(w.trace, launch);
  if (around != kNone) w.put(FMT_COMPILE("\"External id\":{},"), external_id(around));
  w.put(FMT_COMPILE("\"device\":{},\"context\":{},\"stream\":{},\"correlation\":{}"), place.pid,
        stream == kNone ? 0 : w.trace.streams[stream].context, place.tid,
        w.correlation(process, at(ops.correlation, row, 0U)));
}

template <typename Ops>
void close_operation(Writer& w, const Ops& ops, Row row) {
  w.close("}}");
  const Row launch = at(ops.launch, row, kNone);
  if (launch == kNone) return;
  const StreamId stream = ops.stream[row];
  const uint64_t id = w.correlation(w.trace.streams[stream].process, ops.correlation[row]);
  w.flow("f", "ac2g", id, w.place_of_stream(stream), ops.start[row]);
}

void put_dim(Writer& w, std::string_view key, const std::vector<Dim3>& column, Row row) {
  if (column.empty()) return;
  w.put(FMT_COMPILE(",\"{}\":[{},{},{}]"), key, column[row][0], column[row][1], column[row][2]);
}

/// Blocks and warps per SM, where grid and GPU are known.
void put_fill(Writer& w, Row row) {
  const Kernels& k = w.trace.kernels;
  const StreamId stream = at(k.stream, row, kNone);
  if (k.grid.empty() || stream == kNone || w.trace.streams[stream].device == kNone) return;
  const Device& d = w.trace.devices[w.trace.streams[stream].device];
  if (!d.sm_count || *d.sm_count == 0) return;
  const auto volume = [](const Dim3& dim) { return double{1} * dim[0] * dim[1] * dim[2]; };
  const double blocks = volume(k.grid[row]) / static_cast<double>(*d.sm_count);
  const double warps = std::ceil(volume(k.block[row]) / static_cast<double>(d.threads_per_warp.value_or(32)));
  w.put(FMT_COMPILE(",\"blocks per SM\":{:.6f},\"warps per SM\":{:.6f}"), blocks, blocks * warps);
}

void put_resources(Writer& w, Row row) {
  const Kernels& k = w.trace.kernels;
  const int32_t registers = at(k.registers, row, kUnknown32);
  if (registers != kUnknown32) w.put(FMT_COMPILE(",\"registers per thread\":{}"), registers);
  const int32_t fixed = at(k.static_shared_bytes, row, kUnknown32);
  const int32_t dynamic = at(k.dynamic_shared_bytes, row, kUnknown32);
  const int32_t sum = at(k.shared_bytes, row, kUnknown32);
  if (fixed != kUnknown32 || dynamic != kUnknown32) {
    w.put(FMT_COMPILE(",\"shared memory\":{}"), std::max(fixed, 0) + std::max(dynamic, 0));
  } else if (sum != kUnknown32) {
    w.put(FMT_COMPILE(",\"shared memory\":{}"), sum);
  }
  const float occupancy = at(k.occupancy_percent, row, NAN);
  if (!std::isnan(occupancy)) w.put(FMT_COMPILE(",\"est. achieved occupancy %\":{}"), occupancy);
  const int64_t node = at(k.graph_node, row, kUnknown);
  if (node != kUnknown) w.put(FMT_COMPILE(",\"graph node id\":{}"), node);
}

void put_collective(Writer& w, Row row) {
  const Row at_row = at(w.trace.kernels.collective, row, kNone);
  if (at_row == kNone) return;
  const Collective& c = w.trace.collectives[at_row];
  const auto text = [&](std::string_view key, NameId value) {
    if (value != kNone) w.put(FMT_COMPILE(",\"{}\":\"{}\""), key, w.name(value));
  };
  const auto number = [&](std::string_view key, int64_t value) {
    if (value != kUnknown) w.put(FMT_COMPILE(",\"{}\":{}"), key, value);
  };
  text("Collective name", c.name);
  number("In msg nelems", c.in_elements);
  number("Out msg nelems", c.out_elements);
  number("Group size", c.group_size);
  text("dtype", c.dtype);
  text("Process Group Name", c.group);
  text("Process Group Ranks", c.group_ranks);
}

void write_kernels(Writer& w) {
  const Kernels& k = w.trace.kernels;
  for (Row row = 0; row < row_count(k); ++row) {
    open_operation(w, k, row, "kernel", w.name(k.name[row]));
    put_resources(w, row);
    put_fill(w, row);
    put_dim(w, "grid", k.grid, row);
    put_dim(w, "block", k.block, row);
    put_collective(w, row);
    close_operation(w, k, row);
  }
}

/// Bytes, and what they are per second: bytes per nanosecond are GB/s.
void put_bytes(Writer& w, int64_t bytes, int64_t duration_ns) {
  if (bytes == kUnknown) return;
  w.put(FMT_COMPILE(",\"bytes\":{}"), bytes);
  if (duration_ns <= 0) return;
  w.put(FMT_COMPILE(",\"memory bandwidth (GB/s)\":{}"), static_cast<double>(bytes) / static_cast<double>(duration_ns));
}

void write_copies(Writer& w) {
  const Copies& c = w.trace.copies;
  for (Row row = 0; row < row_count(c); ++row) {
    const std::string name =
        fmt::format("Memcpy {} ({} -> {})", copy_name(at(c.kind, row, uint8_t{0})),
                    memory_name(at(c.source, row, uint8_t{7})), memory_name(at(c.destination, row, uint8_t{7})));
    open_operation(w, c, row, "gpu_memcpy", name);
    put_bytes(w, at(c.bytes, row, kUnknown), c.end[row] - c.start[row]);
    close_operation(w, c, row);
  }
}

void write_sets(Writer& w) {
  const Sets& s = w.trace.sets;
  for (Row row = 0; row < row_count(s); ++row) {
    const uint8_t memory = at(s.memory, row, uint8_t{7});
    open_operation(w, s, row, "gpu_memset", fmt::format("Memset ({})", memory_name(memory)));
    put_bytes(w, at(s.bytes, row, kUnknown), s.end[row] - s.start[row]);
    close_operation(w, s, row);
  }
}

/// torch.profiler never records a graph as a whole. It stands as one kernel, so that the GPU's busy time stays true.
void write_graphs(Writer& w) {
  const GraphLaunches& g = w.trace.graph_launches;
  for (Row row = 0; row < row_count(g); ++row) {
    open_operation(w, g, row, "kernel", fmt::format("CUDA graph {}", at(g.graph, row, 0U)));
    close_operation(w, g, row);
  }
}

std::string_view sync_name(uint8_t kind) {
  switch (static_cast<SyncKind>(kind)) {
    case SyncKind::device: return "Context Sync";
    case SyncKind::stream: return "Stream Sync";
    case SyncKind::event: return "Event Sync";
    case SyncKind::stream_waits_event: return "Stream Wait Event";
  }
  return "Unknown";
}

}  // namespace

void write_gpu_operations(Writer& w) {
  write_kernels(w);
  write_copies(w);
  write_sets(w);
  write_graphs(w);
}

void write_syncs(Writer& w) {
  const Syncs& s = w.trace.syncs;
  for (Row row = 0; row < row_count(s); ++row) {
    const std::string_view name = sync_name(s.kind[row]);
    open_operation(w, s, row, "cuda_sync", name);
    w.put(FMT_COMPILE(",\"cuda_sync_kind\":\"{}\""), name);
    if (at(s.event, row, kNone) != kNone) w.put(FMT_COMPILE(",\"wait_on_cuda_event_id\":{}"), s.event[row]);
    w.close("}}");
  }
}

}  // namespace sonde::pytorch_export
