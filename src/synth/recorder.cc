#include "synth/recorder.h"

#include <algorithm>

namespace sonde::synth {
namespace {

/// Nsight samples threads a thousand times a second; a tenth of that is enough to fill the reports.
constexpr int64_t kSamplePeriodNs = 10'000'000;
constexpr int kCores = 32;

SyncKind sync_kind(StepKind kind) {
  switch (kind) {
    case StepKind::sync_event: return SyncKind::event;
    case StepKind::sync_stream: return SyncKind::stream;
    case StepKind::stream_wait: return SyncKind::stream_waits_event;
    default: return SyncKind::device;
  }
}

bool is_sync(StepKind kind) { return kind == StepKind::stream_wait || sync_kind(kind) != SyncKind::device; }

/// Shared memory that an H100's driver gives an SM: the smallest size from 32 KiB on that holds a block and its own
/// KiB.
int32_t carve_out(const Kernel& kernel) {
  const int32_t block = kernel.static_shared_bytes + kernel.dynamic_shared_bytes + 1024;
  for (const int32_t kib : {32, 64, 100, 132, 164, 196}) {
    if (block <= kib * 1024) return kib * 1024;
  }
  return 228 * 1024;
}

template <typename Ops>
void put_operation(Ops& ops, uint32_t stream, uint32_t correlation, int64_t start, int64_t end) {
  ops.start.push_back(start);
  ops.end.push_back(end);
  ops.stream.push_back(stream);
  ops.correlation.push_back(correlation);
}

int64_t managed_address(const Step& step) {
  const uint32_t name = step.memory == 0 ? step.site : step.memory;
  return static_cast<int64_t>(0x7E0000000000U + (uint64_t{name} << 12U));
}

uint8_t memory_code(MemoryKind kind) { return static_cast<uint8_t>(kind); }

}  // namespace

void Recorder::on_operation(const Operation& op, uint16_t stream, int64_t start, int64_t end) {
  switch (op.step->kind) {
    case StepKind::launch:
      if (op.step->amount > 0)
        migration(*op.step, program_.streams[stream].gpu, start, start + GpuQueues::fault_ns(*op.step));
      kernel(op, stream, start, end);
      return;
    case StepKind::collective: kernel(op, stream, start, end); return;
    case StepKind::copy: copy(op, stream, start, end); return;
    case StepKind::set:
      put_operation(trace_.sets, stream, op.correlation, start, end);
      trace_.sets.bytes.push_back(op.step->amount);
      trace_.sets.value.push_back(0);
      trace_.sets.memory.push_back(memory_code(MemoryKind::device));
      return;
    case StepKind::graph:
      put_operation(trace_.graph_launches, stream, op.correlation, start, end);
      trace_.graph_launches.graph.push_back(op.step->what + 1);
      trace_.graph_launches.executable.push_back(op.step->what + 1 + program_.graphs);
      return;
    case StepKind::record_event:
      trace_.cuda_events.start.push_back(end);
      trace_.cuda_events.stream.push_back(stream);
      trace_.cuda_events.correlation.push_back(op.correlation);
      trace_.cuda_events.event.push_back(op.step->what + 1);
      return;
    default: return;
  }
}

void Recorder::kernel(const Operation& op, uint16_t stream, int64_t start, int64_t end) {
  Kernels& k = trace_.kernels;
  const Kernel& info = program_.kernels[op.step->what];
  const KernelNames& names = kernel_names_[op.step->what];
  put_operation(k, stream, op.correlation, start, end);
  k.name.push_back(names.name);
  k.short_name.push_back(names.short_name);
  k.mangled_name.push_back(names.mangled_name);
  k.grid.push_back(info.grid);
  k.block.push_back(info.block);
  k.registers.push_back(info.registers);
  k.static_shared_bytes.push_back(info.static_shared_bytes);
  k.dynamic_shared_bytes.push_back(info.dynamic_shared_bytes);
  k.local_bytes_per_thread.push_back(0);
  k.local_bytes_total.push_back(0);
  k.shared_bytes_executed.push_back(carve_out(info));
  if (!trace_.collectives.empty()) k.collective.push_back(op.step->kind == StepKind::collective ? 0 : kNone);
}

void Recorder::copy(const Operation& op, uint16_t stream, int64_t start, int64_t end) {
  Copies& c = trace_.copies;
  const bool from_host = op.step->copy_kind == CopyKind::host_to_device;
  const bool to_host = op.step->copy_kind == CopyKind::device_to_host;
  put_operation(c, stream, op.correlation, start, end);
  c.bytes.push_back(op.step->amount);
  c.kind.push_back(static_cast<uint8_t>(op.step->copy_kind));
  c.source.push_back(memory_code(from_host ? op.step->host_memory : MemoryKind::device));
  c.destination.push_back(memory_code(to_host ? op.step->host_memory : MemoryKind::device));
  c.address.push_back(kUnknown);
  c.migration_cause.push_back(255);
}

void Recorder::on_call(uint32_t thread, const Step& step, ApiCall call, uint32_t correlation, int64_t start,
                       int64_t end) {
  call_row(trace_.api, thread, call_names_[static_cast<size_t>(call)], info_of(call).call_class, start, end);
  trace_.api.correlation.push_back(correlation);
  if (is_sync(step.kind) || step.kind == StepKind::sync_device) sync(step, correlation, start, end);
  if (step.kind == StepKind::allocate || step.kind == StepKind::release) allocation(thread, step, correlation, end);
  if (step.kind == StepKind::make_graph) graph_made(thread, step, end);
}

void Recorder::call_row(Calls& calls, uint32_t thread, NameId name, CallClass call_class, int64_t start, int64_t end) {
  calls.start.push_back(start);
  calls.end.push_back(end);
  calls.name.push_back(name);
  calls.thread.push_back(thread);
  calls.call_class.push_back(static_cast<uint8_t>(call_class));
  calls.result.push_back(0);
}

/// Nsight's record of a synchronization lies within the call that made it.
void Recorder::sync(const Step& step, uint32_t correlation, int64_t start, int64_t end) {
  constexpr int64_t kInsideNs = 300;
  Syncs& s = trace_.syncs;
  const int64_t inset = std::min(kInsideNs, (end - start) / 3);
  const bool whole_device = step.kind == StepKind::sync_device || step.kind == StepKind::sync_event;
  const auto contexts = static_cast<uint32_t>(program_.streams.size());
  const uint32_t stream = whole_device ? contexts + program_.streams[step.stream].gpu : step.stream;
  put_operation(s, stream, correlation, start + inset, end - inset);
  s.kind.push_back(static_cast<uint8_t>(sync_kind(step.kind)));
  const bool has_event = step.kind == StepKind::sync_event || step.kind == StepKind::stream_wait;
  s.event.push_back(has_event ? step.what + 1 : kNone);
}

void Recorder::allocation(uint32_t thread, const Step& step, uint32_t correlation, int64_t time) {
  Allocations& a = trace_.allocations;
  const uint16_t gpu = program_.threads[thread].gpu;
  const bool release = step.kind == StepKind::release;
  allocated_[gpu] += release ? -step.amount : step.amount;
  a.start.push_back(time);
  a.process.push_back(0);
  a.device.push_back(gpu);
  a.thread.push_back(thread);
  a.kind.push_back(static_cast<uint8_t>(release ? AllocationKind::release : AllocationKind::allocate));
  a.memory.push_back(memory_code(MemoryKind::device));
  a.bytes.push_back(step.amount);
  a.address.push_back(static_cast<int64_t>(0x7F0000000000U + (uint64_t{step.site} << 12U)));
  a.total_bytes.push_back(allocated_[gpu]);
  a.reserved_bytes.push_back(allocated_[gpu]);
  a.name.push_back(kNone);
  a.correlation.push_back(correlation);
}

void Recorder::graph_made(uint32_t thread, const Step& step, int64_t time) {
  GraphEvents& g = trace_.graph_events;
  const auto row = [&](std::string_view name, int event_class, int64_t executable) {
    g.start.push_back(time);
    g.end.push_back(time);
    g.thread.push_back(thread);
    g.name.push_back(trace_.names.intern(name));
    g.event_class.push_back(event_class);
    g.graph.push_back(step.what + 1);
    g.original_graph.push_back(kUnknown);
    g.executable.push_back(executable);
  };
  row("Graph Creation", 95, kUnknown);
  row("GraphExec Creation", 94, int64_t{step.what} + 1 + program_.graphs);
}

NameId Recorder::iteration_name(int32_t iteration) {
  return trace_.names.intern(fmt::format("ProfilerStep#{}", iteration));
}

void Recorder::on_push(uint32_t thread, uint32_t range, int32_t iteration, int64_t time) {
  const RangeIds& ids = range_ids_[range];
  if (ids.domain == kNoDomain) {
    open_ranges_[thread].push_back(kNone);
    return;
  }
  Ranges& r = trace_.ranges;
  const RangeName& info = program_.ranges[range];
  open_ranges_[thread].push_back(static_cast<Row>(r.start.size()));
  r.start.push_back(time);
  r.end.push_back(kUnknown);
  const bool numbered = form_ == Form::torch && info.level == RangeLevel::iteration;
  r.name.push_back(numbered ? iteration_name(iteration) : ids.name);
  r.thread.push_back(thread);
  r.domain.push_back(ids.domain);
  r.style.push_back(static_cast<uint8_t>(RangeStyle::push_pop));
  if (form_ != Form::torch) return;
  const bool counted = info.sequence != kUnknown;
  r.sequence.push_back(counted ? info.sequence + std::max(iteration, 0) * program_.sequences : kUnknown);
  r.backward.push_back(info.backward ? 1 : 0);
  r.shapes.push_back(range_shapes_[range]);
}

void Recorder::on_pop(uint32_t thread, int64_t time) {
  const Row row = open_ranges_[thread].back();
  open_ranges_[thread].pop_back();
  if (row != kNone) trace_.ranges.end[row] = time;
}

void Recorder::on_library(uint32_t thread, uint32_t text, int64_t start, int64_t end) {
  call_row(trace_.library_calls, thread, text_names_[text], CallClass::cublas, start, end);
}

void Recorder::on_os_call(uint32_t thread, uint32_t text, int64_t start, int64_t end, bool blocked) {
  call_row(trace_.os_calls, thread, text_names_[text], CallClass::os, start, end);
  trace_.os_calls.nesting.push_back(0);
  constexpr int64_t kSwitchedOffNs = 50'000;
  if (!blocked || end - start < kSwitchedOffNs) return;
  const auto cpu = static_cast<int32_t>(thread * 3 % kCores);
  const auto put = [&](int64_t time, uint8_t in) {
    trace_.switches.start.push_back(time);
    trace_.switches.thread.push_back(thread);
    trace_.switches.cpu.push_back(cpu);
    trace_.switches.in.push_back(in);
    trace_.switches.state.push_back(static_cast<uint8_t>(in != 0 ? ThreadState::running : ThreadState::interruptible));
    trace_.switches.block.push_back(255);
  };
  put(start + 1000, 0);
  put(end - 500, 1);
}

void Recorder::on_cpu(uint32_t thread, int64_t start, int64_t end) {
  int64_t& next = next_sample_[thread];
  if (next >= end) return;
  // Samples that fall where the thread used no core are not taken.
  if (next < start) next += (start - next + kSamplePeriodNs - 1) / kSamplePeriodNs * kSamplePeriodNs;
  for (; next < end; next += kSamplePeriodNs) {
    Samples& s = trace_.samples;
    s.start.push_back(next);
    s.thread.push_back(thread);
    s.cpu.push_back(static_cast<int32_t>(thread * 3 % kCores));
    s.state.push_back(static_cast<uint8_t>(ThreadState::running));
    s.cycles.push_back(3'000'000);
    s.chain.push_back(static_cast<ChainId>(s.start.size() % trace_.chains.size()));
  }
}

void Recorder::on_migration(uint32_t thread, const Step& step, int64_t start, int64_t end) {
  migration(step, program_.threads[thread].gpu, start, end);
}

void Recorder::migration(const Step& step, uint16_t gpu, int64_t start, int64_t end) {
  const bool read = step.kind == StepKind::unified_read;
  Copies& c = trace_.copies;
  const auto unified_stream = static_cast<uint32_t>(program_.streams.size() + program_.gpus + gpu);
  put_operation(c, unified_stream, 0, start, end);
  c.bytes.push_back(step.amount);
  c.kind.push_back(static_cast<uint8_t>(read ? CopyKind::unified_device_to_host : CopyKind::unified_host_to_device));
  c.source.push_back(memory_code(MemoryKind::unknown));
  c.destination.push_back(memory_code(MemoryKind::unknown));
  c.address.push_back(managed_address(step));
  c.migration_cause.push_back(2);
  page_faults(step, gpu, start, end);
}

void Recorder::page_faults(const Step& step, uint16_t gpu, int64_t start, int64_t end) {
  constexpr int64_t kPageBytes = 65536;  // the driver moves managed memory in blocks of this size
  const bool read = step.kind == StepKind::unified_read;
  PageFaults& f = trace_.page_faults;
  f.start.push_back(start);
  f.end.push_back(read ? kUnknown : end);
  f.process.push_back(0);
  f.device.push_back(read ? -1 : gpu);
  f.address.push_back(managed_address(step));
  f.count.push_back(read ? 1 : (step.amount + kPageBytes - 1) / kPageBytes);
  f.access.push_back(read ? 255 : 1);
  f.instruction.push_back(read ? trace_.names.intern("read_statistics") : kNone);
  f.module.push_back(read ? trace_.names.intern("model") : kNone);
}

}  // namespace sonde::synth
