#include "importers/nsys_report/part.h"

/// Bodies of field 107: what CUPTI records of the GPU.
namespace sonde::nsys {
namespace {

/// The field of a body that says what kind of operation it is.
enum Detail : uint32_t { kKernel = 101, kCopy = 102, kSet = 103, kSync = 105, kEventRecord = 106, kGraph = 107 };

/// What every operation has.
struct Operation {
  int64_t start = 0;
  int64_t end = kUnknown;
  int64_t correlation = 0;
  StreamKey place;
  uint32_t detail = 0;  ///< a Detail, 0 where there is none
  Message body;
};

Operation read_operation(Message m) {
  Operation op;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): op.start = integer_of(m); break;
      case number_field(2): op.end = integer_of(m); break;
      case number_field(3): op.correlation = integer_of(m); break;
      case number_field(4): op.place.device = static_cast<int32_t>(m.get_uint64()); break;
      case number_field(5): op.place.context = static_cast<uint32_t>(m.get_uint64()); break;
      case number_field(6): op.place.stream = static_cast<uint32_t>(m.get_uint64()); break;
      case number_field(8): op.place.process = m.get_uint64(); break;
      case number_field(9): op.place.green_context = green_context_of(integer_of(m)); break;
      case bytes_field(kKernel):
      case bytes_field(kCopy):
      case bytes_field(kSet):
      case bytes_field(kSync):
      case bytes_field(kEventRecord):
      case bytes_field(kGraph):
        op.detail = m.tag();
        op.body = m.get_message();
        break;
      default: m.skip();
    }
  }
  op.place.names_device = op.detail != kSync && op.detail != kEventRecord;
  return op;
}

template <typename Table>
void put_common(const Operation& op, const ReportWants& wants, Part<Table>& part) {
  part.rows.start.push_back(op.start);
  part.rows.end.push_back(op.end == kUnknown ? op.start : op.end);
  if (wants.launches) part.rows.correlation.push_back(fit(op.correlation, 0U));
  if (wants.streams) part.rows.stream.push_back(part.streams.id(op.place));
}

/// The fields of a kernel by their number, as far as any is read.
struct KernelFields {
  static constexpr size_t kCount = 37;
  std::array<int64_t, kCount> value;
  explicit KernelFields(Message m) {
    value.fill(kUnknown);
    while (m.next()) {
      const auto tag = m.tag();
      if (tag < kCount && m.wire_type() == protozero::pbf_wire_type::varint) {
        value[tag] = integer_of(m);
      } else {
        m.skip();
      }
    }
  }
  [[nodiscard]] uint32_t name(size_t tag) const { return string_id(value[tag]); }
  [[nodiscard]] uint32_t size(size_t tag) const {
    return value[tag] == kUnknown ? 0 : static_cast<uint32_t>(value[tag]);
  }
  [[nodiscard]] Dim3 dim3(size_t x) const { return {size(x), size(x + 1), size(x + 2)}; }
};

void put_resources(const KernelFields& f, Kernels& k) {
  k.registers.push_back(fit(f.value[21], kUnknown32));
  k.static_shared_bytes.push_back(fit(f.value[16], kUnknown32));
  k.dynamic_shared_bytes.push_back(fit(f.value[17], kUnknown32));
  k.local_bytes_per_thread.push_back(fit(f.value[18], kUnknown32));
  k.local_bytes_total.push_back(f.value[19]);
  k.shared_bytes_executed.push_back(fit(f.value[22], kUnknown32));
  k.graph_node.push_back(f.value[27]);
  k.launch_type.push_back(fit(f.value[24], uint8_t{255}));
  k.cluster.push_back(f.dim3(31));
}

void put_launch_details(const KernelFields& f, Kernels& k) {
  k.grid_id.push_back(f.value[20]);
  k.cache_config.push_back(fit(f.value[23], uint8_t{255}));
  k.shared_limit_config.push_back(fit(f.value[28], uint8_t{255}));
}

void read_kernel(const Operation& op, const ReportWants& wants, Part<Kernels>& part) {
  const KernelFields f(op.body);
  put_common(op, wants, part);
  Kernels& k = part.rows;
  k.name.push_back(f.name(1));
  if (wants.short_names) k.short_name.push_back(f.name(2));
  if (wants.mangled_names) k.mangled_name.push_back(f.name(3));
  if (wants.grid) {
    k.grid.push_back(f.dim3(10));
    k.block.push_back(f.dim3(13));
  }
  if (wants.resources) put_resources(f, k);
  if (wants.launch_details) put_launch_details(f, k);
}

void read_copy(const Operation& op, const ReportWants& wants, Part<Copies>& part) {
  int64_t bytes = kUnknown, kind = 0, source = kUnknown, destination = kUnknown, cause = kUnknown, address = kUnknown;
  Message m = op.body;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): bytes = integer_of(m); break;
      case number_field(2): kind = integer_of(m); break;
      case number_field(4): source = integer_of(m); break;
      case number_field(5): destination = integer_of(m); break;
      case number_field(10): cause = integer_of(m); break;
      case number_field(12): address = integer_of(m); break;
      default: m.skip();
    }
  }
  put_common(op, wants, part);
  Copies& c = part.rows;
  c.bytes.push_back(bytes);
  c.kind.push_back(fit(kind, uint8_t{0}));
  c.source.push_back(fit(source, static_cast<uint8_t>(MemoryKind::absent)));
  c.destination.push_back(fit(destination, static_cast<uint8_t>(MemoryKind::absent)));
  c.address.push_back(address);
  c.migration_cause.push_back(fit(cause, uint8_t{255}));
  c.graph_node.push_back(kUnknown);  // no report seen has a copy in a graph that is traced by node
}

void read_set(const Operation& op, const ReportWants& wants, Part<Sets>& part) {
  int64_t bytes = kUnknown, value = kUnknown, memory = kUnknown;
  Message m = op.body;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): bytes = integer_of(m); break;
      case number_field(2): value = integer_of(m); break;
      case number_field(4): memory = integer_of(m); break;
      default: m.skip();
    }
  }
  put_common(op, wants, part);
  part.rows.bytes.push_back(bytes);
  part.rows.value.push_back(fit(value, kNone));
  part.rows.memory.push_back(fit(memory, static_cast<uint8_t>(MemoryKind::absent)));
  part.rows.graph_node.push_back(kUnknown);
}

void read_sync(const Operation& op, const ReportWants& wants, Part<Syncs>& part) {
  uint32_t event = kUnset;
  int64_t old_type = kUnknown, type = kUnknown;
  Message m = op.body;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): event = static_cast<uint32_t>(m.get_uint64()); break;
      case number_field(2): old_type = integer_of(m); break;
      case number_field(4): type = integer_of(m); break;  // from 2025.5 on
      default: m.skip();
    }
  }
  put_common(op, wants, part);
  part.rows.kind.push_back(static_cast<uint8_t>(sync_kind(op.place.stream != kUnset, event != kUnset)));
  part.rows.event.push_back(event);
  part.rows.raw_type.push_back(fit(type == kUnknown ? old_type : type, kNone));
}

void read_event_record(const Operation& op, Part<CudaEvents>& part) {
  int64_t event = kUnknown;
  Message m = op.body;
  while (m.next()) {
    if (m.tag_and_type() == number_field(1)) {
      event = integer_of(m);
    } else {
      m.skip();
    }
  }
  part.rows.start.push_back(op.start == 0 ? kUnknown : op.start);
  part.rows.stream.push_back(part.streams.id(op.place));
  part.rows.correlation.push_back(fit(op.correlation, 0U));
  part.rows.event.push_back(fit(event, kNone));
}

void read_graph_launch(const Operation& op, const ReportWants& wants, Part<GraphLaunches>& part) {
  int64_t graph = kUnknown, executable = kUnknown;
  Message m = op.body;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): graph = integer_of(m); break;
      case number_field(2): executable = integer_of(m); break;
      default: m.skip();
    }
  }
  put_common(op, wants, part);
  part.rows.graph.push_back(fit(graph, kNone));
  part.rows.executable.push_back(fit(executable, kNone));
}

}  // namespace

void read_gpu_event(Message body, int64_t type, const ReportWants& wants, ReportPart& part) {
  const Operation op = read_operation(body);
  const auto read = [&](ReportTable table, bool wanted, auto&& f) {
    if (wanted) f();
    ++part.counted(table);
  };
  switch (op.detail) {
    case kKernel: return read(ReportTable::kernels, wants.kernels, [&] { read_kernel(op, wants, part.kernels); });
    case kCopy: return read(ReportTable::copies, wants.copies, [&] { read_copy(op, wants, part.copies); });
    case kSet: return read(ReportTable::sets, wants.sets, [&] { read_set(op, wants, part.sets); });
    case kSync: return read(ReportTable::syncs, wants.syncs, [&] { read_sync(op, wants, part.syncs); });
    case kEventRecord:
      return read(ReportTable::cuda_events, wants.cuda_events, [&] { read_event_record(op, part.cuda_events); });
    case kGraph:
      return read(ReportTable::graph_launches, wants.graph_launches,
                  [&] { read_graph_launch(op, wants, part.graph_launches); });
    default: ++part.unknown[{type}];
  }
}

}  // namespace sonde::nsys
