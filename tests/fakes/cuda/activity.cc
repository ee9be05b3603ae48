#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "parts.h"

namespace fake_cuda::cupti {
namespace {

constexpr uint32_t kLastKind = kVersion >= kCuda13_0   ? 55
                               : kVersion >= kCuda12_8 ? 54
                               : kVersion >= kCuda12_0 ? 52
                               : kHasGraphTrace        ? 51
                                                       : 50;
constexpr uint32_t kAttributes = 16;
constexpr uint32_t kCounters = 9;  // CUpti_ActivityUnifiedMemoryCounterKind
constexpr uint32_t kAsync = 1;     // CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC and _MEMSET_ASYNC
constexpr uint32_t kSystemThreadIds = 1;

constexpr uint32_t kCalls = 1024;  ///< numbers of calls are below

std::atomic<uint64_t> enabled{0};
std::atomic<bool> left_out[2][kCalls] = {};  ///< calls of the driver's and the runtime's API
std::atomic<uint32_t> thread_id_type{0};
std::atomic<bool> counters[kCounters] = {};
[[maybe_unused]] std::atomic<bool> event_times{false};  // from CUDA 12.8 on
size_t attributes[kAttributes] = {8 << 20, 8 << 20, 250, 1024, 250, 0, 3, 3, 1};

std::atomic<bool> (&left_out_of(Kind kind))[kCalls] { return left_out[kind == kRuntime ? 1 : 0]; }

void choose_all_calls(uint32_t kind) {
  for (std::atomic<bool>& call : left_out_of(static_cast<Kind>(kind))) call = false;
}

/// As seen of CUPTI 13.0: to leave calls out, the kind must be enabled; enabling it once more takes all of them in.
[[maybe_unused]] uint32_t choose_call(Kind kind, uint32_t call, uint8_t enable) {
  if (call >= kCalls) return kInvalidParameter;
  if (is_enabled(kind)) left_out_of(kind)[call] = enable == 0;
  return kSuccess;
}

/// The type decides it: CUPTI's own numbers are of no use to anybody else.
uint32_t thread_id() {
  if (thread_id_type.load() == kSystemThreadIds) return static_cast<uint32_t>(syscall(SYS_gettid));
  return static_cast<uint32_t>(pthread_self());
}

template <typename T>
void set_times(T& record, const Operation& operation) {
  record.start = on_client_clock(operation.start);
  record.end = on_client_clock(operation.end);
}

template <typename T>
void set_place(T& record, const Operation& operation) {
  record.device = operation.device;
  record.context = operation.context;
  record.stream = operation.stream;
  record.correlation = operation.correlation;
}

template <typename T>
int times_of(const T& record) {
  return static_cast<int>(reinterpret_cast<const char*>(&record.start) - reinterpret_cast<const char*>(&record));
}

/// All that a GPU works on has these.
template <typename T>
void write_work(T& record, const Operation& operation) {
  set_place(record, operation);
  record.graph = operation.graph;
  record.graph_node = operation.graph_node;
  write(&record, sizeof record, operation.end, times_of(record));
}

/// What CUPTI's release notes tell of CUDA 12.6 Update 2 to 13.0: with a clock of the client's some kernels have no
/// times.
bool loses_times() {
  static std::atomic<uint32_t> turn{0};
  return kVersion >= kCuda12_6 && kVersion <= kCuda13_0 && has_client_clock() && is_due(5, turn);
}

bool spoil(KernelRecord& record) {
  static std::atomic<uint32_t> turn_lost{0}, turn_zero{0}, turn_reversed{0}, turn_names{0};
  const Faults& f = faults();
  if (f.no_kernels || is_due(f.lost, turn_lost)) return false;
  if (is_due(f.zero_times, turn_zero) || loses_times()) record.start = record.end = 0;
  if (is_due(f.reversed, turn_reversed)) record.end = record.start - 1;
  if (is_due(f.null_names, turn_names)) record.name = nullptr;
  return true;
}

void record_kernel(const Operation& o) {
  const bool concurrent = is_enabled(kConcurrentKernel);
  if (!concurrent && !is_enabled(kKernel)) return;
  KernelRecord record{};
  record.kind = concurrent ? kConcurrentKernel : kKernel;
  record.registers = static_cast<uint16_t>(o.kernel->registers);
  set_times(record, o);
  for (int i = 0; i < 3; ++i) {
    record.grid[i] = static_cast<int32_t>(o.shape.grid[i]);
    record.block[i] = static_cast<int32_t>(o.shape.block[i]);
  }
  record.static_shared = static_cast<int32_t>(o.kernel->static_shared_bytes);
  record.dynamic_shared = static_cast<int32_t>(o.shape.dynamic_shared_bytes);
  record.shared_executed = 65536;
  record.local_per_thread = o.kernel->local_bytes_per_thread;
  record.grid_id = o.grid_id;
  record.name = o.kernel->name;
  record.completed = record.end;
  if (spoil(record)) write_work(record, o);
}

void record_copy(const Operation& o) {
  if (!is_enabled(kMemcpy)) return;
  CopyRecord record{};
  record.kind = kMemcpy;
  record.copy_kind = static_cast<uint8_t>(o.kind);
  record.source_kind = static_cast<uint8_t>(o.source_kind);
  record.target_kind = static_cast<uint8_t>(o.target_kind);
  record.flags = o.is_async ? kAsync : 0;
  record.bytes = o.bytes;
  set_times(record, o);
  write_work(record, o);
}

void record_peer_copy(const Operation& o) {
  if (!is_enabled(kMemcpy2)) return;
  PeerCopyRecord record{};
  record.kind = kMemcpy2;
  record.copy_kind = static_cast<uint8_t>(o.kind);
  record.source_kind = static_cast<uint8_t>(o.source_kind);
  record.target_kind = static_cast<uint8_t>(o.target_kind);
  record.flags = o.is_async ? kAsync : 0;
  record.bytes = o.bytes;
  record.source_device = o.source_device;
  record.source_context = o.source_context;
  record.target_device = o.target_device;
  record.target_context = o.target_context;
  set_times(record, o);
  write_work(record, o);
}

void record_set(const Operation& o) {
  if (!is_enabled(kMemset)) return;
  SetRecord record{};
  record.kind = kMemset;
  record.value = o.value;
  record.bytes = o.bytes;
  record.memory_kind = static_cast<uint16_t>(o.source_kind);
  record.flags = o.is_async ? kAsync : 0;
  set_times(record, o);
  write_work(record, o);
}

void record_wait(const Operation& o) {
  if (!is_enabled(kSynchronization)) return;
  SyncRecord record{};
  record.kind = kSynchronization;
  record.type = o.kind;
  record.context = o.context;
  record.stream = o.stream;
  record.event = o.event;
  record.correlation = o.correlation;
  set_times(record, o);
  write(record);
}

void record_graph(const Operation& o) {
  if (!kHasGraphTrace || !is_enabled(kGraphTrace)) return;
  GraphRecord record{};
  record.kind = kGraphTrace;
  record.graph = o.graph;
  set_place(record, o);
  set_times(record, o);
  write(&record, sizeof record, o.end, times_of(record));
}

/// When the GPU reaches an event: told since CUDA 12.8, where it is asked for.
template <typename T>
void set_reached(T& record, const Operation& operation) {
  if constexpr (requires { record.device_timestamp; }) {
    record.device = operation.device;
    record.device_timestamp = event_times.load() ? on_client_clock(operation.start) : 0;
  }
}

void record_event(const Operation& o) {
  if (!is_enabled(kCudaEvent)) return;
  EventRecord record{};
  record.kind = kCudaEvent;
  record.correlation = o.correlation;
  record.context = o.context;
  record.stream = o.stream;
  record.event = o.event;
  set_reached(record, o);
  write(record);
}

void record_allocation(const Operation& o) {
  if (!is_enabled(kMemory2)) return;
  AllocationRecord record{};
  record.kind = kMemory2;
  record.operation = o.is_release ? 2 : 1;
  record.memory_kind = o.source_kind;
  record.address = o.address;
  record.bytes = o.bytes;
  record.timestamp = on_client_clock(o.start);
  record.process = static_cast<uint32_t>(getpid());
  record.is_async = o.is_async ? 1 : 0;
  set_place(record, o);
  write(record);
}

void record_unified_memory(const Operation& o) {
  if (!is_enabled(kUnifiedMemoryCounter) || !counters[o.kind].load()) return;
  MigrationRecord record{};
  record.kind = kUnifiedMemoryCounter;
  record.counter = o.kind;
  const bool is_fault = o.sort == Sort::page_faults;
  record.value = is_fault ? o.value : o.bytes;
  record.address = o.address;
  record.source = is_fault ? o.device : o.source_device;
  record.target = is_fault ? 0 : o.target_device;
  record.stream = o.stream;
  record.process = static_cast<uint32_t>(getpid());
  record.flags = is_fault ? 1 : 3;  // read; prefetched
  set_times(record, o);
  write(record);
}

void record_overhead(const Operation& o) {
  if (!is_enabled(kOverhead)) return;
  OverheadRecord record{};
  record.kind = kOverhead;
  record.overhead = 2U << 16U;  // CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION
  record.object = 2;            // a thread
  record.ids[0] = static_cast<uint32_t>(getpid());
  record.ids[1] = thread_id();
  set_times(record, o);
  write(record);
}

bool is_hidden(const Operation& o) {
  const bool is_node = o.sort != Sort::graph && o.graph != 0;
  return is_node && kHasGraphTrace && is_enabled(kGraphTrace);
}

/// CUpti_ActivityUnifiedMemoryCounterConfig
struct CounterConfig {
  uint32_t scope;
  uint32_t kind;
  uint32_t device;
  uint32_t enable;
};

void spend(uint32_t ns) {
  if (ns == 0) return;
  for (const uint64_t began = timestamp(); timestamp() - began < ns;) {
  }
}

}  // namespace

bool is_enabled(Kind kind) { return (enabled.load(std::memory_order_relaxed) & uint64_t{1} << kind) != 0; }

void forget_kinds() { enabled = 0; }

void record_call(const ApiCall& call) {
  const Kind kind = call.domain == Domain::driver ? kDriver : kRuntime;
  if (!is_enabled(kind) || left_out_of(kind)[call.id].load(std::memory_order_relaxed)) return;
  write(Api{kind, call.id, call.start, timestamp(), static_cast<uint32_t>(getpid()), thread_id(), call.correlation,
            call.result});
  spend(faults().call_cost);
}

void record_operation(const Operation& o) {
  if (is_hidden(o)) return;
  switch (o.sort) {
    case Sort::kernel: return record_kernel(o);
    case Sort::copy: return record_copy(o);
    case Sort::peer_copy: return record_peer_copy(o);
    case Sort::set: return record_set(o);
    case Sort::synchronization: return record_wait(o);
    case Sort::graph: return record_graph(o);
    case Sort::event: return record_event(o);
    case Sort::allocation: return record_allocation(o);
    case Sort::migration:
    case Sort::page_faults: return record_unified_memory(o);
    case Sort::overhead: return record_overhead(o);
  }
}

void record_context(const ContextInfo& context) {
  if (is_enabled(kContext)) {
    ContextRecord record{};
    record.kind = kContext;
    record.context = context.id;
    record.device = context.device;
    record.api = 1;  // CUDA
    record.null_stream = static_cast<uint16_t>(context.null_stream);
    write(record);
  }
  record_stream({context.null_stream, context.id, 3, 0});
}

void record_stream(const StreamInfo& stream) {
  if (!is_enabled(kStream)) return;
  write(StreamRecord{kStream, stream.context, stream.id, static_cast<uint32_t>(stream.priority), stream.flags, 0});
}

void tell_devices() {
  if (faults().no_devices) return;
  for (uint32_t device = 0; device < driver()->devices(); ++device) {
    DeviceRecord record{};
    record.kind = kDevice;
    record.bandwidth = 2'000'000'000;  // kB/s
    record.memory_size = uint64_t{64} << 30U;
    record.l2_bytes = 50 << 20;
    record.warp = 32;
    record.clock_khz = 1'500'000;
    record.multiprocessors = 100;
    record.max_warps = 64;
    record.max_threads_of_block = 1024;
    record.max_blocks = 32;
    record.max_registers = 65536;
    record.max_shared = 233472;
    record.major = 9;
    record.id = device;
    record.uuid[0] = static_cast<uint8_t>(0xA0 + device);
    record.name = "Stand-in GPU";
    record.is_visible = 1;
    write(record);
  }
}

size_t record_bytes(uint32_t kind) {
  switch (kind) {
    case kMemcpy: return sizeof(CopyRecord);
    case kMemset: return sizeof(SetRecord);
    case kKernel:
    case kConcurrentKernel: return sizeof(KernelRecord);
    case kDriver:
    case kRuntime: return sizeof(Api);
    case kDevice: return sizeof(DeviceRecord);
    case kContext: return sizeof(ContextRecord);
    case kOverhead: return sizeof(OverheadRecord);
    case kMemcpy2: return sizeof(PeerCopyRecord);
    case kUnifiedMemoryCounter: return sizeof(MigrationRecord);
    case kCudaEvent: return sizeof(EventRecord);
    case kStream: return sizeof(StreamRecord);
    case kSynchronization: return sizeof(SyncRecord);
    case kMemory2: return sizeof(AllocationRecord);
    case kGraphTrace: return kHasGraphTrace ? sizeof(GraphRecord) : 0;
    case 60: return faults().new_kinds != 0 ? sizeof(OtherRecord) : 0;
    default: return 0;
  }
}

EXPORT uint32_t cuptiActivityEnable(uint32_t kind) {
  note_call("cuptiActivityEnable");
  if (faults().enable_fails != 0) return faults().enable_fails;
  if (kind == 0 || kind > kLastKind) return kInvalidKind;
  if (!attach()) return kUnknown;
  if (kind == kUnifiedMemoryCounter && !driver()->is_initialized()) return kNotReady;  // as seen on an H100
  enabled |= uint64_t{1} << kind;
  if (kind == kDriver || kind == kRuntime) choose_all_calls(kind);
  return kSuccess;
}

EXPORT uint32_t cuptiActivityDisable(uint32_t kind) {
  note_call("cuptiActivityDisable");
  if (kind == 0 || kind > kLastKind) return kInvalidKind;
  enabled &= ~(uint64_t{1} << kind);
  return kSuccess;
}

EXPORT uint32_t cuptiActivityEnableContext(void* context, uint32_t kind) {
  return context == nullptr ? uint32_t{kInvalidParameter} : cuptiActivityEnable(kind);
}
EXPORT uint32_t cuptiActivityDisableContext(void* context, uint32_t kind) {
  return context == nullptr ? uint32_t{kInvalidParameter} : cuptiActivityDisable(kind);
}

EXPORT uint32_t cuptiActivityConfigureUnifiedMemoryCounter(const CounterConfig* configs, uint32_t count) {
  if (configs == nullptr) return kInvalidParameter;
  if (driver() == nullptr) return kUnknown;
  for (uint32_t i = 0; i < count; ++i) {
    if (configs[i].kind == 0 || configs[i].kind >= kCounters) return kInvalidParameter;
    counters[configs[i].kind] = configs[i].enable != 0;
  }
  return kSuccess;
}

EXPORT uint32_t cuptiActivitySetAttribute(uint32_t attribute, const size_t* bytes, const void* value) {
  if (attribute >= kAttributes || bytes == nullptr || value == nullptr || *bytes > sizeof(size_t))
    return kInvalidParameter;
  memcpy(&attributes[attribute], value, *bytes);
  return kSuccess;
}

EXPORT uint32_t cuptiActivityGetAttribute(uint32_t attribute, size_t* bytes, void* value) {
  if (attribute >= kAttributes || bytes == nullptr || value == nullptr || *bytes > sizeof(size_t))
    return kInvalidParameter;
  memcpy(value, &attributes[attribute], *bytes);
  return kSuccess;
}

EXPORT uint32_t cuptiSetThreadIdType(uint32_t type) {
  if (type > kSystemThreadIds) return kInvalidParameter;
  thread_id_type = type;
  return kSuccess;
}
EXPORT uint32_t cuptiGetThreadIdType(uint32_t* type) {
  *type = thread_id_type.load();
  return kSuccess;
}

#if FAKE_CUPTI_VERSION >= 26
EXPORT uint32_t cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable) {
  event_times = enable != 0;
  return kSuccess;
}
#endif

#if FAKE_CUPTI_VERSION >= 23
EXPORT uint32_t cuptiActivityEnableDriverApi(uint32_t call, uint8_t enable) {
  return choose_call(kDriver, call, enable);
}
EXPORT uint32_t cuptiActivityEnableRuntimeApi(uint32_t call, uint8_t enable) {
  return choose_call(kRuntime, call, enable);
}
#endif

EXPORT uint32_t cuptiActivityEnableLatencyTimestamps(uint8_t) { return kSuccess; }

}  // namespace fake_cuda::cupti
