#include "shared/trace_builder.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "trace/columns.h"

namespace sonde {
namespace {

std::string cell(int64_t value, int) { return value == kUnknown ? "-" : fmt::format("{}", value); }
std::string cell(double value, int decimals) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, decimals);
}
std::string cell(std::string_view value, int) { return value.data() == nullptr ? "-" : std::string(value); }

}  // namespace

TraceBuilder::TraceBuilder() {
  trace_.fields = Fields::all();
  trace_.ranks.emplace_back();
  domain("");
}

ProcessId TraceBuilder::process(int64_t pid) {
  const auto found = std::ranges::find(trace_.processes, pid, &Process::pid);
  if (found != trace_.processes.end()) return static_cast<ProcessId>(found - trace_.processes.begin());
  Process process;
  process.pid = pid;
  process.global_id = static_cast<uint64_t>(pid) << 24;
  trace_.processes.push_back(process);
  return static_cast<ProcessId>(trace_.processes.size() - 1);
}

ThreadId TraceBuilder::thread(int64_t pid, int64_t tid) {
  Thread thread;
  thread.process = process(pid);
  thread.tid = tid;
  thread.global_id = trace_.processes[thread.process].global_id | static_cast<uint64_t>(tid);
  trace_.threads.push_back(thread);
  return static_cast<ThreadId>(trace_.threads.size() - 1);
}

StreamId TraceBuilder::stream(int64_t pid, int32_t device) {
  Stream stream;
  stream.process = process(pid);
  stream.ordinal = device;
  trace_.streams.push_back(stream);
  return static_cast<StreamId>(trace_.streams.size() - 1);
}

DomainId TraceBuilder::domain(std::string_view name, DomainKind kind) {
  trace_.domains.push_back({trace_.names.intern(name), kind});
  return static_cast<DomainId>(trace_.domains.size() - 1);
}

void TraceBuilder::add_call(Calls& calls, NameId name, ThreadId thread, int64_t start, int64_t end,
                            CallClass call_class, uint32_t correlation) {
  calls.start.push_back(start);
  calls.end.push_back(end);
  calls.name.push_back(name);
  calls.thread.push_back(thread);
  calls.call_class.push_back(static_cast<uint8_t>(call_class));
  calls.correlation.push_back(correlation);
}

uint32_t TraceBuilder::call(ThreadId thread, int64_t start, int64_t end, std::string_view name) {
  add_call(trace_.api, trace_.names.intern(name), thread, start, end, CallClass::runtime, next_correlation_);
  return next_correlation_++;
}

void TraceBuilder::os_call(ThreadId thread, int64_t start, int64_t end, std::string_view name, CallClass call_class) {
  add_call(trace_.os_calls, trace_.names.intern(name), thread, start, end, call_class, 0);
}

void TraceBuilder::gpu_op(GpuOps& ops, StreamId stream, int64_t start, int64_t end, uint32_t correlation) {
  ops.start.push_back(start);
  ops.end.push_back(end);
  ops.stream.push_back(stream);
  ops.correlation.push_back(correlation);
}

void TraceBuilder::kernel(StreamId stream, int64_t start, int64_t end, std::string_view name, uint32_t correlation,
                          Dim3 grid) {
  gpu_op(trace_.kernels, stream, start, end, correlation);
  trace_.kernels.name.push_back(trace_.names.intern(fmt::format("void {}<float>(int)", name)));
  trace_.kernels.short_name.push_back(trace_.names.intern(name));
  trace_.kernels.mangled_name.push_back(trace_.names.intern(fmt::format("_Z{}{}", name.size(), name)));
  trace_.kernels.grid.push_back(grid);
  trace_.kernels.block.push_back({256, 1, 1});
}

void TraceBuilder::any_copy(StreamId stream, int64_t start, int64_t end, CopyKind kind, int64_t bytes, int64_t address,
                            uint32_t correlation) {
  gpu_op(trace_.copies, stream, start, end, correlation);
  trace_.copies.kind.push_back(static_cast<uint8_t>(kind));
  trace_.copies.bytes.push_back(bytes);
  trace_.copies.address.push_back(address);
  trace_.copies.source.push_back(static_cast<uint8_t>(MemoryKind::absent));
  trace_.copies.destination.push_back(static_cast<uint8_t>(MemoryKind::absent));
}

void TraceBuilder::copy(StreamId stream, int64_t start, int64_t end, uint32_t correlation) {
  any_copy(stream, start, end, CopyKind::host_to_device, 1000, kUnknown, correlation);
}

void TraceBuilder::host_copy(StreamId stream, int64_t start, int64_t end, CopyKind kind, MemoryKind host, int64_t bytes,
                             uint32_t correlation) {
  any_copy(stream, start, end, kind, bytes, kUnknown, correlation);
  const bool to_gpu = kind == CopyKind::host_to_device;
  trace_.copies.source.back() = static_cast<uint8_t>(to_gpu ? host : MemoryKind::device);
  trace_.copies.destination.back() = static_cast<uint8_t>(to_gpu ? MemoryKind::device : host);
}

void TraceBuilder::peer_copy(StreamId stream, int64_t start, int64_t end, uint32_t source_device,
                             uint32_t destination_device, int64_t bytes, uint32_t correlation) {
  any_copy(stream, start, end, CopyKind::peer_to_peer, bytes, kUnknown, correlation);
  trace_.copies.source.back() = static_cast<uint8_t>(MemoryKind::device);
  trace_.copies.destination.back() = static_cast<uint8_t>(MemoryKind::device);
  peer_copies_.push_back({static_cast<Row>(row_count(trace_.copies) - 1), source_device, destination_device});
}

void TraceBuilder::set(StreamId stream, int64_t start, int64_t end, uint32_t correlation, int64_t bytes) {
  gpu_op(trace_.sets, stream, start, end, correlation);
  trace_.sets.bytes.push_back(bytes);
}

void TraceBuilder::record_event(ThreadId thread, StreamId stream, int64_t start, int64_t end, uint32_t event) {
  CudaEvents& events = trace_.cuda_events;
  events.start.push_back(end);
  events.stream.push_back(stream);
  events.correlation.push_back(call(thread, start, end, "cudaEventRecord_v3020"));
  events.event.push_back(event);
}

void TraceBuilder::wait_event(ThreadId thread, StreamId stream, int64_t start, int64_t end, uint32_t event) {
  gpu_op(trace_.syncs, stream, start, end, call(thread, start, end, "cudaStreamWaitEvent_v3020"));
  trace_.syncs.kind.push_back(static_cast<uint8_t>(SyncKind::stream_waits_event));
  trace_.syncs.event.push_back(event);
}

void TraceBuilder::migration(StreamId stream, int64_t start, int64_t end, CopyKind kind, int64_t bytes,
                             int64_t address) {
  any_copy(stream, start, end, kind, bytes, address, 0);
}

void TraceBuilder::graph_launch(StreamId stream, int64_t start, int64_t end, uint32_t correlation) {
  gpu_op(trace_.graph_launches, stream, start, end, correlation);
}

void TraceBuilder::range(ThreadId thread, ThreadId end_thread, int64_t start, int64_t end, std::string_view name,
                         DomainId domain, RangeStyle style) {
  trace_.ranges.start.push_back(start);
  trace_.ranges.end.push_back(end);
  trace_.ranges.name.push_back(trace_.names.intern(name));
  trace_.ranges.thread.push_back(thread);
  trace_.ranges.end_thread.push_back(end_thread);
  trace_.ranges.domain.push_back(domain);
  trace_.ranges.style.push_back(static_cast<uint8_t>(style));
}

void TraceBuilder::push_pop(ThreadId thread, int64_t start, int64_t end, std::string_view name, DomainId domain) {
  range(thread, thread, start, end, name, domain, RangeStyle::push_pop);
}

void TraceBuilder::inputs(std::string_view recorded) {
  trace_.ranges.shapes.resize(trace_.ranges.start.size(), kNone);
  trace_.ranges.shapes.back() = trace_.names.intern(recorded);
}

void TraceBuilder::start_end(ThreadId thread, ThreadId end_thread, int64_t start, int64_t end, std::string_view name,
                             DomainId domain) {
  range(thread, end_thread, start, end, name, domain, RangeStyle::start_end);
}

void TraceBuilder::fault(int64_t start, int64_t end, int32_t device, int64_t address, int64_t count,
                         NameId instruction) {
  PageFaults& faults = trace_.page_faults;
  faults.start.push_back(start);
  faults.end.push_back(end);
  faults.process.push_back(kNone);
  faults.device.push_back(device);
  faults.address.push_back(address);
  faults.count.push_back(count);
  faults.instruction.push_back(instruction);
}

void TraceBuilder::cpu_fault(int64_t start, int64_t address, std::string_view instruction) {
  fault(start, kUnknown, -1, address, kUnknown, trace_.names.intern(instruction));
}

void TraceBuilder::gpu_fault(int64_t start, int64_t address, int64_t count) {
  fault(start, start + 1, 0, address, count, kNone);
}

void TraceBuilder::allocation(int64_t pid, int32_t device, int64_t start, AllocationKind kind, int64_t bytes,
                              int64_t address, int64_t total) {
  Allocations& a = trace_.allocations;
  a.start.push_back(start);
  a.process.push_back(process(pid));
  a.device.push_back(device);
  a.kind.push_back(static_cast<uint8_t>(kind));
  a.memory.push_back(static_cast<uint8_t>(MemoryKind::device));
  a.bytes.push_back(bytes);
  a.address.push_back(address);
  a.total_bytes.push_back(total);
}

void TraceBuilder::switched(ThreadId thread, int64_t start, int32_t cpu, bool in, uint8_t state) {
  Switches& s = trace_.switches;
  s.start.push_back(start);
  s.thread.push_back(thread);
  s.cpu.push_back(cpu);
  s.in.push_back(static_cast<uint8_t>(in));
  s.state.push_back(state);
}

void TraceBuilder::put_on_core(ThreadId thread, int64_t start, int32_t cpu) {
  switched(thread, start, cpu, true, absent_value<uint8_t>());
}

void TraceBuilder::take_off_core(ThreadId thread, int64_t start, int32_t cpu, ThreadState state) {
  switched(thread, start, cpu, false, static_cast<uint8_t>(state));
}

Device& TraceBuilder::device(int32_t ordinal) {
  Device& device = trace_.devices.emplace_back();
  device.cuda_ordinal = ordinal;
  return device;
}

void TraceBuilder::resolve_devices() {
  for (Stream& stream : trace_.streams) {
    const auto found = std::ranges::find(trace_.devices, std::optional<int64_t>(stream.ordinal), &Device::cuda_ordinal);
    if (found != trace_.devices.end()) stream.device = static_cast<DeviceId>(found - trace_.devices.begin());
  }
}

void TraceBuilder::fill_peers() {
  if (peer_copies_.empty()) return;
  Copies& c = trace_.copies;
  c.source_device.assign(row_count(c), kNone);
  c.destination_device.assign(row_count(c), kNone);
  for (const PeerCopy& peers : peer_copies_) {
    c.source_device[peers.row] = peers.source_device;
    c.destination_device[peers.row] = peers.destination_device;
  }
}

Trace TraceBuilder::build() {
  if (!trace_.ranges.shapes.empty()) trace_.ranges.shapes.resize(trace_.ranges.start.size(), kNone);
  resolve_devices();
  fill_peers();
  link(trace_);
  return std::move(trace_);
}

Table run_report(std::string_view specification, const Trace& trace) {
  const auto chosen = choose_report(specification);
  if (!chosen) {
    ADD_FAILURE() << chosen.error().message;
    return {};
  }
  auto table = chosen->report->run(trace, chosen->arguments);
  if (!table) {
    ADD_FAILURE() << table.error().message;
    return {};
  }
  return std::move(*table);
}

std::vector<std::string> cells(const Table& table, std::string_view column) {
  const auto found = std::ranges::find(table.columns, column, &Column::name);
  if (found == table.columns.end()) {
    ADD_FAILURE() << "no column " << column;
    return {};
  }
  std::vector<std::string> texts;
  std::visit(
      [&](const auto& values) {
        for (const auto& v : values) texts.push_back(cell(v, found->decimals));
      },
      found->values);
  return texts;
}

std::vector<std::string> headers(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

}  // namespace sonde
