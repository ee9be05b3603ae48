#include "record/cuda/cuda_rows.h"

#include <algorithm>
#include <array>

#include "record/cuda/cuda_codes.h"
#include "record/rounds/body.h"
#include "record/rounds/call_row.h"
#include "wire/layout.h"

namespace sonde::record {
namespace {

uint64_t correlation_key(uint32_t image, uint32_t correlation) { return uint64_t{image} << 32U | correlation; }

/// What the operations of a GPU have in front.
struct Operation {
  int64_t start;
  int64_t end;
  wire::GpuPlace place;
};

bool is_operation(wire::Kind kind) {
  switch (kind) {
    case wire::Kind::cuda_kernel:
    case wire::Kind::cuda_copy:
    case wire::Kind::cuda_peer_copy:
    case wire::Kind::cuda_set:
    case wire::Kind::cuda_sync:
    case wire::Kind::cuda_graph_launch: return true;
    default: return false;
  }
}

wire::CudaTallyBody since(wire::CudaTallyBody counted, const wire::CudaTallyBody& before) {
  counted.records -= before.records;
  for (size_t i = 0; i < std::size(counted.invalid); ++i) counted.invalid[i] -= before.invalid[i];
  counted.dropped -= before.dropped;
  counted.buffers -= before.buffers;
  counted.bytes -= before.bytes;
  counted.busy_ns -= before.busy_ns;
  counted.callback_ns -= before.callback_ns;
  counted.unfinished -= before.unfinished;
  return counted;
}

int64_t node_of(uint64_t node) { return node == 0 ? kUnknown : static_cast<int64_t>(node); }

}  // namespace

void CudaRows::add(const wire::Record& record, const CudaSource& source) {
  if ((extent_.wanted & wire::kWantCuda) == 0) return;
  note(record, source);
  if (!needs_all(record)) add_row(record, source);
}

/// Operations that start behind the extent, or before it: the call that asked for them may be within it.
bool CudaRows::is_outside(const wire::Record& record) const {
  if (!is_operation(record.head.kind)) return false;
  const auto operation = body_of<Operation>(record);
  return operation.start >= 0 && !extent_.holds_time(operation.start);
}

/// Whether what becomes of it follows from others, which may come behind it.
bool CudaRows::needs_all(const wire::Record& record) const {
  switch (record.head.kind) {
    case wire::Kind::cuda_call:
    case wire::Kind::cuda_event:
    case wire::Kind::cuda_graph:
    case wire::Kind::cuda_overhead: return true;
    default: return is_outside(record);
  }
}

void CudaRows::note(const wire::Record& record, const CudaSource& source) {
  if (!needs_all(record)) return;
  to_read_again_.insert(source);
  switch (record.head.kind) {
    case wire::Kind::cuda_call: return note_call(body_of<wire::ApiCallBody>(record), source, record.head.domain);
    case wire::Kind::cuda_kernel:
    case wire::Kind::cuda_graph_launch:
      started_.insert(source.process, body_of<Operation>(record).place.correlation);
      return;
    default: return;
  }
}

void CudaRows::note_call(const wire::ApiCallBody& b, const CudaSource& source, uint16_t domain) {
  if (domain == kRuntimeDomain) called_of_runtime_.insert(source.process, b.correlation);
  if (has_sense(b.start, b.end) && extent_.holds_time(b.start)) called_.insert(source.process, b.correlation);
}

void CudaRows::add_row(const wire::Record& record, const CudaSource& source) {
  switch (record.head.kind) {
    case wire::Kind::cuda_kernel: return kernel(body_of<wire::KernelBody>(record), source);
    case wire::Kind::cuda_copy: return copy(body_of<wire::CopyBody>(record), source);
    case wire::Kind::cuda_peer_copy: return copy(body_of<wire::PeerCopyBody>(record), source);
    case wire::Kind::cuda_set: return set(body_of<wire::SetBody>(record), source);
    case wire::Kind::cuda_sync: return sync(body_of<wire::SyncBody>(record), source);
    case wire::Kind::cuda_graph_launch: return graph_launch(body_of<wire::GraphLaunchBody>(record), source);
    case wire::Kind::cuda_unified: return unified(body_of<wire::UnifiedMemoryBody>(record), source);
    case wire::Kind::cuda_allocation: return allocation(body_of<wire::AllocationBody>(record), source);
    case wire::Kind::call_chain:
      if (extent_.holds_time(record.head.time)) chain(record, source);
      return;
    case wire::Kind::cuda_state: return tally_.note_state(record);
    case wire::Kind::cuda_tally: return count(record, source);
    default: return;
  }
}

StreamId CudaRows::stream(const CudaSource& source, uint32_t device, uint32_t context, uint32_t number) {
  const auto [place, fresh] = streams_.try_emplace({source.process, device, context, number});
  if (!fresh) return place->second;
  Stream stream;
  stream.process = process_row_(source.process);
  stream.ordinal = static_cast<int32_t>(device);
  stream.context = context;
  stream.stream = number;
  objects_.describe(source, stream);
  trace_.streams.push_back(stream);
  return place->second = static_cast<StreamId>(trace_.streams.size() - 1);
}

bool CudaRows::has_sense(int64_t start, int64_t end) {
  const bool sense = start >= 0 && end >= start;
  if (!sense) ++tally_.broken_times;
  return sense;
}

/// After some idle time CUPTI has placed kernels before the call that launches them (pytorch#192021).
bool CudaRows::add_operation(GpuOps& ops, int64_t start, int64_t end, const wire::GpuPlace& place,
                             const CudaSource& source) {
  if (!has_sense(start, end)) return false;
  if (start < extent_.begin_ns) {
    if (!is_of_call(source, place.correlation)) return false;
    start = extent_.begin_ns;
    end = std::max(end, start);
    ++tally_.early;
  }
  ops.start.push_back(time(start));
  ops.end.push_back(time(end));
  ops.stream.push_back(stream(source, place.device, place.context, place.stream));
  ops.correlation.push_back(place.correlation);
  return true;
}

void CudaRows::kernel(const wire::KernelBody& b, const CudaSource& source) {
  Kernels& k = trace_.kernels;
  if (!add_operation(k, b.start, b.end, b.place, source)) return;
  const KernelNames names = objects_.kernel(source, b.name);
  k.name.push_back(names.declared);
  k.short_name.push_back(names.bare);
  k.mangled_name.push_back(names.mangled);
  k.grid.push_back({b.grid[0], b.grid[1], b.grid[2]});
  k.block.push_back({b.block[0], b.block[1], b.block[2]});
  k.cluster.push_back({b.cluster[0], b.cluster[1], b.cluster[2]});
  k.registers.push_back(b.registers);
  k.static_shared_bytes.push_back(static_cast<int32_t>(b.static_shared_bytes));
  k.dynamic_shared_bytes.push_back(static_cast<int32_t>(b.dynamic_shared_bytes));
  k.shared_bytes_executed.push_back(static_cast<int32_t>(b.shared_bytes_executed));
  k.local_bytes_per_thread.push_back(static_cast<int32_t>(b.local_bytes_per_thread));
  k.local_bytes_total.push_back(static_cast<int64_t>(b.local_bytes_total));
  k.graph_node.push_back(node_of(b.graph_node));
  k.launch_type.push_back(b.launch_type);
  k.grid_id.push_back(b.grid_id);
  k.cache_config.push_back(b.cache_config);
  k.shared_limit_config.push_back(static_cast<uint8_t>(b.shared_limit_config));
  started_.insert(source.process, b.place.correlation);
  ++tally_.kernels;
}

void CudaRows::copy(const wire::CopyBody& b, const CudaSource& source) { add_copy(b, {}, source); }

void CudaRows::copy(const wire::PeerCopyBody& b, const CudaSource& source) {
  add_copy(b.copy, {b.source_device, b.source_context, b.destination_device, b.destination_context}, source);
}

void CudaRows::add_places(const CopyPlaces& places) {
  Copies& c = trace_.copies;
  c.source_device.push_back(places.source_device);
  c.source_context.push_back(places.source_context);
  c.destination_device.push_back(places.destination_device);
  c.destination_context.push_back(places.destination_context);
}

void CudaRows::add_copy(const wire::CopyBody& b, const CopyPlaces& places, const CudaSource& source) {
  Copies& c = trace_.copies;
  if (!add_operation(c, b.start, b.end, b.place, source)) return;
  c.bytes.push_back(static_cast<int64_t>(b.bytes));
  c.kind.push_back(b.kind);
  c.source.push_back(memory_kind(b.source));
  c.destination.push_back(memory_kind(b.destination));
  c.address.push_back(kUnknown);
  c.migration_cause.push_back(kNoCode);
  c.graph_node.push_back(node_of(b.graph_node));
  add_places(places);
  ++tally_.copies;
}

void CudaRows::set(const wire::SetBody& b, const CudaSource& source) {
  Sets& s = trace_.sets;
  if (!add_operation(s, b.start, b.end, b.place, source)) return;
  s.bytes.push_back(static_cast<int64_t>(b.bytes));
  s.value.push_back(b.value);
  s.memory.push_back(memory_kind(b.memory));
  s.graph_node.push_back(node_of(b.graph_node));
  ++tally_.sets;
}

/// CUPTI does not tell the device, which is the context's.
void CudaRows::sync(const wire::SyncBody& b, const CudaSource& source) {
  Syncs& s = trace_.syncs;
  wire::GpuPlace place = b.place;
  place.device = objects_.device_of(source, place.context).value_or(kNone);
  if (!add_operation(s, b.start, b.end, place, source)) return;
  s.kind.push_back(static_cast<uint8_t>(sync_kind(b.place.stream != kNone, b.event != kNone)));
  s.event.push_back(b.event);
  s.raw_type.push_back(b.type);
  ++tally_.syncs;
}

void CudaRows::graph_launch(const wire::GraphLaunchBody& b, const CudaSource& source) {
  GraphLaunches& g = trace_.graph_launches;
  if (!add_operation(g, b.start, b.end, b.place, source)) return;
  const auto [graph, executable] = objects_.launched(source.process, b.graph);
  g.graph.push_back(graph);
  g.executable.push_back(executable);
  started_.insert(source.process, b.place.correlation);
  ++tally_.graph_launches;
}

void CudaRows::unified(const wire::UnifiedMemoryBody& b, const CudaSource& source) {
  switch (static_cast<UnifiedCounter>(b.kind)) {
    case UnifiedCounter::host_to_device:
    case UnifiedCounter::device_to_host:
    case UnifiedCounter::device_to_device: return migration(b, source);
    case UnifiedCounter::cpu_page_fault:
    case UnifiedCounter::gpu_page_fault: return page_fault(b, source);
    default:
      if (extent_.holds_time(b.start)) ++tally_.other_counters;
  }
}

/// A copy that no call asked for: without correlation, in no stream.
void CudaRows::migration(const wire::UnifiedMemoryBody& b, const CudaSource& source) {
  const auto counter = static_cast<UnifiedCounter>(b.kind);
  const bool to_host = counter == UnifiedCounter::device_to_host;
  Copies& c = trace_.copies;
  if (b.start > extent_.end_ns) return;
  if (!add_operation(c, b.start, b.end, {to_host ? b.source : b.destination, 0, 0, 0}, source)) return;
  c.bytes.push_back(static_cast<int64_t>(b.value));
  c.kind.push_back(static_cast<uint8_t>(copy_kind(counter)));
  c.source.push_back(static_cast<uint8_t>(MemoryKind::unknown));
  c.destination.push_back(static_cast<uint8_t>(MemoryKind::unknown));
  c.address.push_back(static_cast<int64_t>(b.address));
  c.migration_cause.push_back(static_cast<uint8_t>(b.flags));
  c.graph_node.push_back(kUnknown);
  const bool between_gpus = counter == UnifiedCounter::device_to_device;
  add_places(between_gpus ? CopyPlaces{.source_device = b.source, .destination_device = b.destination} : CopyPlaces{});
  ++tally_.copies;
  ++tally_.migrations;
}

void CudaRows::page_fault(const wire::UnifiedMemoryBody& b, const CudaSource& source) {
  if (!has_sense(b.start, b.end) || !extent_.holds_time(b.start)) return;
  const bool on_gpu = static_cast<UnifiedCounter>(b.kind) == UnifiedCounter::gpu_page_fault;
  PageFaults& f = trace_.page_faults;
  f.start.push_back(time(b.start));
  f.end.push_back(on_gpu ? time(b.end) : kUnknown);
  f.process.push_back(process_row_(source.process));
  f.device.push_back(on_gpu ? static_cast<int32_t>(b.source) : -1);
  f.address.push_back(static_cast<int64_t>(b.address));
  f.count.push_back(on_gpu ? static_cast<int64_t>(b.value) : 1);
  f.access.push_back(on_gpu ? static_cast<uint8_t>(b.flags) : kNoCode);
  f.instruction.push_back(on_gpu ? kNone : trace_.names.intern(fmt::format("{:#x}", b.value)));
  f.module.push_back(on_gpu ? kNone : trace_.names.intern("[unknown]"));
  ++tally_.page_faults;
}

void CudaRows::allocation(const wire::AllocationBody& b, const CudaSource& source) {
  if (!has_sense(b.start, b.start) || !extent_.holds_time(b.start)) return;
  constexpr uint32_t kRelease = 2;  // CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
  const uint8_t memory = memory_kind(b.memory);
  const bool on_host = memory <= static_cast<uint8_t>(MemoryKind::pinned);
  const std::string& name = objects_.text(source, b.name);
  Allocations& a = trace_.allocations;
  a.start.push_back(time(b.start));
  a.process.push_back(process_row_(source.process));
  a.device.push_back(on_host ? -1 : static_cast<int32_t>(b.device));
  a.thread.push_back(kNone);
  a.kind.push_back(static_cast<uint8_t>(b.operation == kRelease ? AllocationKind::release : AllocationKind::allocate));
  a.memory.push_back(memory);
  a.bytes.push_back(static_cast<int64_t>(b.bytes));
  a.address.push_back(static_cast<int64_t>(b.address));
  a.total_bytes.push_back(kUnknown);
  a.reserved_bytes.push_back(kUnknown);
  a.name.push_back(name.empty() ? kNone : trace_.names.intern(name));
  a.correlation.push_back(b.correlation);
  ++tally_.allocations;
}

/// Those of calls in the recording: the time that CUPTI gives them, if any, is that at which the GPU came to them.
void CudaRows::event(const wire::CudaEventBody& b, const CudaSource& source) {
  if (!is_of_call(source, b.correlation)) return;
  CudaEvents& e = trace_.cuda_events;
  e.start.push_back(b.reached == 0 ? kUnknown : time(b.reached));
  e.stream.push_back(stream(source, objects_.device_of(source, b.context).value_or(kNone), b.context, b.stream));
  e.correlation.push_back(b.correlation);
  e.event.push_back(b.event);
}

void CudaRows::chain(const wire::Record& record, const CudaSource& source) {
  const auto body = body_of<wire::CallChainBody>(record);
  std::array<uint64_t, wire::kMaxFrames> addresses{};
  std::memcpy(addresses.data(), record.body.data() + sizeof body, body.frames * sizeof addresses[0]);
  chains_[correlation_key(images_.at(source.process, record.head.time), body.correlation)] =
      symbolizer_.chain(source.process, record.head.time, std::span(addresses).first(body.frames));
}

/// What a process counted until the extent began is its zero.
void CudaRows::count(const wire::Record& record, const CudaSource& source) {
  const bool before = record.head.time < extent_.begin_ns;
  (before ? counted_before_ : counted_)[source] = body_of<wire::CudaTallyBody>(record);
}

void CudaRows::finish(const Slices& slices, const ThreadRow& thread_row, const PartTaker& take) {
  LettingGo letting_go(slices.let_go);
  for (const Slice& slice : slices.all) {
    const CudaSource source{slice.process, slice.thread};
    if (!to_read_again_.contains(source)) continue;
    letting_go.has_read(slice);
    wire::Reader reader(slice.records);
    wire::Record record;
    while (reader.next(record)) add_again(record, source, thread_row);
    if (event_rows(trace_) >= kPartRows) give_part(trace_, take);
  }
  give_part(trace_, take);
  sum_tallies();
}

void CudaRows::add_again(const wire::Record& record, const CudaSource& source, const ThreadRow& thread_row) {
  switch (record.head.kind) {
    case wire::Kind::cuda_call: return add_call(record, source, thread_row);
    case wire::Kind::cuda_graph: return add_graph(record, source, thread_row);
    case wire::Kind::cuda_overhead: return add_overhead(body_of<wire::OverheadBody>(record), source, thread_row);
    case wire::Kind::cuda_event: return event(body_of<wire::CudaEventBody>(record), source);
    default:
      if (is_outside(record) && is_of_call(source, body_of<Operation>(record).place.correlation))
        add_row(record, source);
  }
}

bool CudaRows::is_of_call(const CudaSource& source, uint32_t correlation) const {
  return called_.contains(source.process, correlation);
}

/// The words are Nsight's, as are the classes: ENUM_NSYS_EVENT_CLASS.
void CudaRows::add_graph(const wire::Record& record, const CudaSource& source, const ThreadRow& thread_row) {
  constexpr int32_t kInstantiated = 94;
  constexpr int32_t kCreated = 95;
  constexpr int32_t kCloned = 96;
  if (!extent_.holds_time(record.head.time)) return;
  const auto b = body_of<wire::CudaGraphBody>(record);
  const auto id = [](uint32_t number) { return number == 0 ? kUnknown : int64_t{number}; };
  if (b.change == wire::CudaGraphChange::created && objects_.is_step(source.process, b.graph)) return;
  const bool instantiated = b.change == wire::CudaGraphChange::instantiated;
  const bool cloned = b.change == wire::CudaGraphChange::cloned;
  GraphEvents& g = trace_.graph_events;
  g.start.push_back(time(record.head.time));
  g.end.push_back(time(record.head.time));
  g.thread.push_back(thread_row(source.process, source.thread));
  g.name.push_back(trace_.names.intern(instantiated ? "GraphExec Creation"
                                       : cloned     ? "Graph Clone"
                                                    : "Graph Creation"));
  g.event_class.push_back(instantiated ? kInstantiated : cloned ? kCloned : kCreated);
  g.graph.push_back(id(b.graph));
  g.original_graph.push_back(id(b.original));
  g.executable.push_back(id(b.executable));
}

/// A process that becomes another program numbers its calls again.
ChainId CudaRows::chain_of(const wire::ApiCallBody& call, const CudaSource& source) const {
  if (chains_.empty()) return kNone;
  const auto found = chains_.find(correlation_key(images_.at(source.process, call.start), call.correlation));
  return found == chains_.end() ? kNone : found->second;
}

/// A call of the runtime makes calls of the driver, which CUPTI tells under the same correlation: the outer one counts.
void CudaRows::add_call(const wire::Record& record, const CudaSource& source, const ThreadRow& thread_row) {
  const auto b = body_of<wire::ApiCallBody>(record);
  const bool of_runtime = record.head.domain == kRuntimeDomain;
  if (b.start < 0 || b.end < b.start || !extent_.holds_time(b.start)) return;
  if (!of_runtime && called_of_runtime_.contains(source.process, b.correlation)) return;
  const ChainId chain = chain_of(b, source);
  Calls& c = trace_.api;
  append(c, {time(b.start), time(b.end), objects_.call(source, record.head.domain, b.call),
             thread_row(source.process, b.thread), of_runtime ? CallClass::runtime : CallClass::driver});
  c.correlation.push_back(b.correlation);
  c.result.push_back(b.result);
  c.nesting.push_back(kUnknown32);
  c.chain.push_back(chain);
  if (chain != kNone) ++tally_.chains;
  ++tally_.api_calls;
  count_launch(b, source);
}

void CudaRows::count_launch(const wire::ApiCallBody& call, const CudaSource& source) {
  if (call.result != 0) return;
  const std::string_view name = trace_.name(trace_.api.name.back());
  unserved_.note_call(name, {source.process, call.thread}, call.start, call.end);
  if (launches_graph(name)) ++tally_.graph_starts;
  if (!launches_kernel(name)) return;
  ++tally_.launches;
  if (!started_.contains(source.process, call.correlation)) unserved_.add({source.process, call.thread}, call.start);
}

void CudaRows::add_overhead(const wire::OverheadBody& b, const CudaSource& source, const ThreadRow& thread_row) {
  constexpr uint32_t kThread = 2;  // CUPTI_ACTIVITY_OBJECT_THREAD
  if (!has_sense(b.start, b.end) || !extent_.holds_time(b.start)) return;
  Calls& c = trace_.overheads;
  append(c, {time(b.start), time(b.end), trace_.names.intern(overhead_name(b.kind)),
             b.object_kind == kThread ? thread_row(source.process, b.thread) : kNone, CallClass::overhead});
  c.correlation.push_back(b.correlation);
  c.result.push_back(kUnknown);
  c.nesting.push_back(kUnknown32);
  c.chain.push_back(kNone);
}

void CudaRows::sum_tallies() {
  tally_.launched_nothing = unserved_.count();
  tally_.processes = static_cast<int64_t>(counted_.size());
  for (const auto& [source, until_now] : counted_) {
    const wire::CudaTallyBody counted = since(until_now, counted_before_[source]);
    trace_.processes[process_row_(source.process)].call_cost_ns = until_now.call_cost_ns;
    tally_.records += counted.records;
    for (size_t i = 0; i < tally_.invalid.size(); ++i) tally_.invalid[i] += counted.invalid[i];
    tally_.unfinished += counted.unfinished;
    tally_.flush_failures += counted.flush_failures;
    tally_.nameless += counted.nameless;
    tally_.dropped += counted.dropped;
    tally_.bytes += counted.bytes;
    tally_.busy_ns += counted.busy_ns;
    tally_.callback_ns += counted.callback_ns;
    tally_.call_cost_ns = std::max(tally_.call_cost_ns, until_now.call_cost_ns);
    tally_.clock_error_ns = std::max(tally_.clock_error_ns, counted.clock_error_ns);
    const auto apart = [](int64_t drift) { return drift < 0 ? -drift : drift; };
    if (apart(counted.clock_drift_ns) > apart(tally_.clock_drift_ns)) tally_.clock_drift_ns = counted.clock_drift_ns;
  }
}

}  // namespace sonde::record
