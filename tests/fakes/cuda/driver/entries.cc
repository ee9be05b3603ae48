// libcuda.so.1: what a program, or the runtime library, calls.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "driver/state.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

extern "C" const fake_cuda::Table* fakeCudaTable();

namespace fake_cuda {
namespace {

/// CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind
constexpr uint32_t kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 8, kPeer = 10;
constexpr uint32_t kPageable = 1, kDevice = 3;
/// CUpti_ActivitySynchronizationType
constexpr uint32_t kEventWait = 1, kStreamWaitsEvent = 2, kStreamWait = 3, kContextWait = 4;
/// CUpti_ActivityUnifiedMemoryCounterKind
constexpr int64_t kUsualNs = 1000;  // of a kernel whose caller does not say
constexpr uint32_t kMigratedToDevice = 1, kMigratedToHost = 2, kGpuPageFaults = 4;

/// The real driver does it the same way: the library stays, and what it gives is not looked at.
void load_injection() {
  const char* path = getenv("CUDA_INJECTION64_PATH");
  void* library = path == nullptr || *path == '\0' ? nullptr : dlopen(path, RTLD_NOW);
  if (library == nullptr) return;
  const auto initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (initialize != nullptr) initialize();
}

int64_t copy_ns(uint64_t bytes) { return kCopyNs + static_cast<int64_t>(bytes / kCopyBytesPerNs); }

int copy(uint32_t id, const char* name, uint32_t kind, uint64_t bytes, void* stream_handle, bool is_async) {
  return api(id, name, nullptr, nullptr, [&](const ApiCall& call) {
    Operation operation;
    operation.sort = Sort::copy;
    operation.kind = kind;
    operation.source_kind = kind == kHostToDevice ? kPageable : kDevice;
    operation.target_kind = kind == kDeviceToHost ? kPageable : kDevice;
    operation.bytes = bytes;
    operation.is_async = is_async;
    Stream& stream = stream_of(stream_handle);
    give(stream, operation, copy_ns(bytes), call);
    if (!is_async && stream.capture == nullptr) sleep_until(stream.ready);
    return 0;
  });
}

int wait_for(Stream& stream, uint32_t type, const ApiCall& call) {
  const int64_t start = now_ns();
  sleep_until(stream.ready);
  tell_wait(type, type == kContextWait ? kNone : stream.id, kNone, start, call);
  return 0;
}

void tell_allocation(uint64_t address, const Allocation& allocation, bool is_release, bool is_async,
                     const Stream* stream, const ApiCall& call) {
  const Listener* l = listener();
  if (l == nullptr) return;
  Operation operation;
  operation.sort = Sort::allocation;
  operation.start = operation.end = now_ns();
  operation.address = address;
  operation.bytes = allocation.bytes;
  operation.source_kind = allocation.kind;
  operation.is_release = is_release;
  operation.is_async = is_async;
  operation.device = current_context()->device;
  operation.context = current_context()->id;
  operation.stream = stream == nullptr ? kNone : stream->id;
  operation.correlation = call.correlation;
  l->worked(operation);
}

int allocate(uint32_t id, const char* name, uint64_t* address, uint64_t bytes, uint32_t kind, bool is_async,
             void* stream) {
  return api(id, name, nullptr, nullptr, [&](const ApiCall& call) {
    const Allocation allocation{bytes, kind};
    {
      const std::lock_guard lock(state().mutex);
      *address = kind == kManaged ? reinterpret_cast<uint64_t>(calloc(1, bytes)) : state().next_address;
      state().next_address += (bytes + 511) / 512 * 512;
      state().allocations[*address] = allocation;
    }
    tell_allocation(*address, allocation, false, is_async, is_async ? &stream_of(stream) : nullptr, call);
    return 0;
  });
}

int release(uint32_t id, const char* name, uint64_t address, bool is_async, void* stream) {
  return api(id, name, nullptr, nullptr, [&](const ApiCall& call) -> int {
    Allocation allocation;
    {
      const std::lock_guard lock(state().mutex);
      const auto found = state().allocations.find(address);
      if (found == state().allocations.end()) return kInvalidValue;
      allocation = found->second;
      state().allocations.erase(found);
    }
    if (allocation.kind == kManaged) free(reinterpret_cast<void*>(address));
    tell_allocation(address, allocation, true, is_async, is_async ? &stream_of(stream) : nullptr, call);
    return 0;
  });
}

/// What a kernel's first touch of managed memory does: faults, and pages that come over.
void tell_faults(const Kernel& kernel, const Stream& stream) {
  const Listener* l = listener();
  if (l == nullptr || kernel.faults == 0) return;
  Operation operation;
  operation.sort = Sort::page_faults;
  operation.kind = kGpuPageFaults;
  operation.value = kernel.faults;
  operation.start = now_ns();
  operation.end = operation.start + 1000;
  operation.address = 0x1000;
  operation.device = stream.context->device;
  operation.stream = stream.id;
  l->worked(operation);
}

/// cuLaunchKernel_params of generated_cuda_meta.h.
struct LaunchParameters {
  const Kernel* function;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared;
  void* stream;
  void** arguments;
  void** extra;
};

void launch_nodes(Exec& exec, Stream& stream, const ApiCall& call) {
  Operation whole;
  whole.sort = Sort::graph;
  whole.graph = exec.id;
  whole.correlation = call.correlation;
  for (const auto& node : exec.nodes) {
    Operation operation = node->operation;
    operation.graph = exec.id;
    operation.graph_node = node->id;
    const int64_t start = give(stream, operation, node->duration, call);
    if (whole.start == 0) whole.start = start;
  }
  const Listener* l = listener();
  if (l == nullptr) return;
  whole.end = stream.ready;
  whole.device = stream.context->device;
  whole.context = stream.context->id;
  whole.stream = stream.id;
  l->worked(whole);
}

}  // namespace

/// By the variable SONDE_FAKE_CUINIT what it gives instead of success: it loads the tools all the same, as the real
/// one. A thread that comes while another is in it waits.
EXPORT int cuInit(unsigned) {
  if (is_forked()) return kNotInitialized;
  static std::mutex& initializing = *new std::mutex;
  const std::lock_guard lock(initializing);
  if (state().initialized) return 0;
  fakeCudaTable();
  static const bool loaded = (load_injection(), true);
  static_cast<void>(loaded);
  if (const char* failure = getenv("SONDE_FAKE_CUINIT")) return atoi(failure);
  state().initialized = true;
  if (const Listener* l = listener()) l->initialized();
  return 0;
}

EXPORT int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}

EXPORT int cuDeviceGetCount(int* count) {
  return api_anywhere(4, "cuDeviceGetCount", nullptr, nullptr, [&](const ApiCall&) {
    *count = kDevices;
    return 0;
  });
}

/// As CUPTI's record of a device has it.
EXPORT int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  constexpr unsigned char kFirst = 0xA0;
  for (int i = 0; i < 16; ++i) uuid[i] = 0;
  uuid[0] = static_cast<unsigned char>(kFirst + device);
  return 0;
}

EXPORT int cuCtxGetCurrent(void** context) {
  return api_anywhere(304, "cuCtxGetCurrent", nullptr, nullptr, [&](const ApiCall&) {
    *context = current_context();
    return 0;
  });
}

EXPORT int cuCtxSetCurrent(void* context) {
  current_context() = static_cast<Context*>(context);
  return 0;
}

EXPORT int cuDevicePrimaryCtxRetain(void** handle, int device) {
  if (is_forked() || !state().initialized) return kNotInitialized;
  if (device < 0 || device >= static_cast<int>(kDevices)) return kInvalidValue;
  bool is_new = false;
  auto& context = state().contexts[device];
  {
    const std::lock_guard lock(state().mutex);
    is_new = context == nullptr || context->id == 0;
    if (context == nullptr) context = std::make_unique<Context>();
    if (is_new) {
      context->id = state().next_context++;
      context->device = static_cast<uint32_t>(device);
      context->null_stream.id = 7;
      context->null_stream.context = context.get();
    }
  }
  *handle = context.get();
  const Listener* l = listener();
  if (is_new && l != nullptr) l->context_created(context.get(), {context->id, context->device, 7});
  if (is_new && l != nullptr) {
    Operation overhead;
    overhead.sort = Sort::overhead;
    overhead.end = now_ns();
    overhead.start = overhead.end - 12345;
    l->worked(overhead);
  }
  return 0;
}

/// What is to come lies where the destroyed one lay, as it may by chance with the real one.
EXPORT int cuDevicePrimaryCtxReset_v2(int device) {
  if (device < 0 || device >= static_cast<int>(kDevices)) return kInvalidValue;
  const std::lock_guard lock(state().mutex);
  if (auto& context = state().contexts[device]; context != nullptr) *context = {};
  current_context() = nullptr;
  return 0;
}

EXPORT int cuCtxSynchronize() {
  return api(17, "cuCtxSynchronize", nullptr, nullptr, [&](const ApiCall& call) {
    Context& context = *current_context();
    Stream latest = context.null_stream;
    for (const auto& stream : context.streams) latest.ready = std::max(latest.ready, stream->ready);
    wait_for(latest, kContextWait, call);
    if (const Listener* l = listener()) l->synchronized(2, &context, nullptr);
    return 0;
  });
}

EXPORT int cuStreamCreate(void** handle, unsigned flags) {
  return api(124, "cuStreamCreate", nullptr, nullptr, [&](const ApiCall&) {
    auto stream = std::make_unique<Stream>();
    stream->context = current_context();
    {
      const std::lock_guard lock(state().mutex);
      stream->id = state().next_stream++;
      *handle = stream.get();
      current_context()->streams.push_back(std::move(stream));
    }
    const auto* made = static_cast<const Stream*>(*handle);
    const Listener* l = listener();
    if (l != nullptr) l->stream_created(made, {made->id, made->context->id, flags == 1 ? 2U : 1U, 0});
    return 0;
  });
}

EXPORT int cuStreamSynchronize(void* handle) {
  return api(126, "cuStreamSynchronize", nullptr, nullptr, [&](const ApiCall& call) {
    wait_for(stream_of(handle), kStreamWait, call);
    if (const Listener* l = listener()) l->synchronized(1, current_context(), handle);
    return 0;
  });
}

EXPORT int cuStreamDestroy_v2(void*) {  // its handle goes on to be known: nothing here looks at its end
  return api(326, "cuStreamDestroy_v2", nullptr, nullptr, [](const ApiCall&) { return 0; });
}

EXPORT int cuEventCreate(void** handle, unsigned) {
  return api(118, "cuEventCreate", nullptr, nullptr, [&](const ApiCall&) {
    const std::lock_guard lock(state().mutex);
    *handle = new Event{state().next_event++, 0};
    return 0;
  });
}

EXPORT int cuEventRecord(void* event, void* stream_handle) {
  return api(119, "cuEventRecord", nullptr, nullptr, [&](const ApiCall& call) {
    Stream& stream = stream_of(stream_handle);
    auto& e = *static_cast<Event*>(event);
    e.time = std::max(now_ns(), stream.ready);
    Operation operation;
    operation.sort = Sort::event;
    operation.event = e.id;
    operation.start = operation.end = e.time;
    operation.device = stream.context->device;
    operation.context = stream.context->id;
    operation.stream = stream.id;
    operation.correlation = call.correlation;
    if (const Listener* l = listener()) l->worked(operation);
    return 0;
  });
}

EXPORT int cuEventSynchronize(void* event) {
  return api(121, "cuEventSynchronize", nullptr, nullptr, [&](const ApiCall& call) {
    const int64_t start = now_ns();
    sleep_until(static_cast<Event*>(event)->time);
    tell_wait(kEventWait, kNone, static_cast<Event*>(event)->id, start, call);
    return 0;
  });
}

EXPORT int cuStreamWaitEvent(void* stream_handle, void* event, unsigned) {
  return api(295, "cuStreamWaitEvent", nullptr, nullptr, [&](const ApiCall& call) {
    Stream& stream = stream_of(stream_handle);
    auto& e = *static_cast<Event*>(event);
    stream.ready = std::max(stream.ready, e.time);
    tell_wait(kStreamWaitsEvent, stream.id, e.id, now_ns(), call);
    return 0;
  });
}

EXPORT int cuEventElapsedTime(float* ms, void* start, void* end) {
  return api(123, "cuEventElapsedTime", nullptr, nullptr, [&](const ApiCall&) {
    *ms = static_cast<float>(static_cast<Event*>(end)->time - static_cast<Event*>(start)->time) / 1e6F;
    return 0;
  });
}

EXPORT int cuEventDestroy_v2(void* event) {
  return api(325, "cuEventDestroy_v2", nullptr, nullptr, [&](const ApiCall&) {
    delete static_cast<Event*>(event);
    return 0;
  });
}

EXPORT int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared, void* stream_handle, void** arguments,
                          void** extra) {
  const auto* kernel = static_cast<const Kernel*>(function);
  const LaunchParameters parameters{
      kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream_handle, arguments, extra};
  return api(307, "cuLaunchKernel", &parameters, kernel->name, [&](const ApiCall& call) {
    Operation operation;
    operation.sort = Sort::kernel;
    operation.kernel = kernel;
    operation.shape = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared};
    Stream& stream = stream_of(stream_handle);
    const int64_t duration = arguments == nullptr ? kUsualNs : *static_cast<const int64_t*>(arguments[0]);
    give(stream, operation, duration, call);
    tell_faults(*kernel, stream);
    return 0;
  });
}

EXPORT int cuMemcpyHtoD_v2(uint64_t, const void*, size_t bytes) {
  return copy(276, "cuMemcpyHtoD_v2", kHostToDevice, bytes, nullptr, false);
}
EXPORT int cuMemcpyDtoH_v2(void*, uint64_t, size_t bytes) {
  return copy(278, "cuMemcpyDtoH_v2", kDeviceToHost, bytes, nullptr, false);
}
EXPORT int cuMemcpyHtoDAsync_v2(uint64_t, const void*, size_t bytes, void* stream) {
  return copy(277, "cuMemcpyHtoDAsync_v2", kHostToDevice, bytes, stream, true);
}
EXPORT int cuMemcpyDtoHAsync_v2(void*, uint64_t, size_t bytes, void* stream) {
  return copy(279, "cuMemcpyDtoHAsync_v2", kDeviceToHost, bytes, stream, true);
}
EXPORT int cuMemcpyDtoDAsync_v2(uint64_t, uint64_t, size_t bytes, void* stream) {
  return copy(281, "cuMemcpyDtoDAsync_v2", kDeviceToDevice, bytes, stream, true);
}

EXPORT int cuMemcpyPeerAsync(uint64_t, void* to, uint64_t, void* from, size_t bytes, void* stream_handle) {
  return api(319, "cuMemcpyPeerAsync", nullptr, nullptr, [&](const ApiCall& call) {
    Operation operation;
    operation.sort = Sort::peer_copy;
    operation.kind = kPeer;
    operation.source_kind = operation.target_kind = kDevice;
    operation.bytes = bytes;
    operation.is_async = true;
    operation.source_device = static_cast<const Context*>(from)->device;
    operation.source_context = static_cast<const Context*>(from)->id;
    operation.target_device = static_cast<const Context*>(to)->device;
    operation.target_context = static_cast<const Context*>(to)->id;
    give(stream_of(stream_handle), operation, copy_ns(bytes), call);
    return 0;
  });
}

EXPORT int cuMemsetD8Async(uint64_t, unsigned char value, size_t bytes, void* stream) {
  return api(216, "cuMemsetD8Async", nullptr, nullptr, [&](const ApiCall& call) {
    Operation operation;
    operation.sort = Sort::set;
    operation.value = value;
    operation.bytes = bytes;
    operation.source_kind = kDevice;
    operation.is_async = true;
    give(stream_of(stream), operation, kSetNs + static_cast<int64_t>(bytes / kSetBytesPerNs), call);
    return 0;
  });
}

EXPORT int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  return allocate(243, "cuMemAlloc_v2", address, bytes, kDevice, false, nullptr);
}
EXPORT int cuMemAllocManaged(uint64_t* address, size_t bytes, unsigned) {
  return allocate(371, "cuMemAllocManaged", address, bytes, kManaged, false, nullptr);
}
EXPORT int cuMemAllocAsync(uint64_t* address, size_t bytes, void* stream) {
  return allocate(598, "cuMemAllocAsync", address, bytes, kDevice, true, stream);
}
EXPORT int cuMemFree_v2(uint64_t address) { return release(245, "cuMemFree_v2", address, false, nullptr); }
EXPORT int cuMemFreeAsync(uint64_t address, void* stream) {
  return release(600, "cuMemFreeAsync", address, true, stream);
}

/// Device -1: the host.
EXPORT int cuMemPrefetchAsync(uint64_t address, size_t bytes, int device, void* stream_handle) {
  return api(467, "cuMemPrefetchAsync", nullptr, nullptr, [&](const ApiCall& call) {
    Operation operation;
    operation.sort = Sort::migration;
    operation.kind = device < 0 ? kMigratedToHost : kMigratedToDevice;
    operation.bytes = bytes;
    operation.address = address;
    operation.source_device = device < 0 ? current_context()->device : kNone;
    operation.target_device = device < 0 ? kNone : static_cast<uint32_t>(device);
    give(stream_of(stream_handle), operation, copy_ns(bytes), call);
    return 0;
  });
}

EXPORT int cuProfilerStart() {
  return api(308, "cuProfilerStart", nullptr, nullptr, [](const ApiCall&) { return 0; });
}
EXPORT int cuProfilerStop() {
  return api(309, "cuProfilerStop", nullptr, nullptr, [](const ApiCall&) { return 0; });
}

EXPORT int cuStreamBeginCapture_v2(void* stream, int) {
  return api(539, "cuStreamBeginCapture_v2", nullptr, nullptr, [&](const ApiCall&) {
    auto* graph = new Graph;
    graph->id = state().next_graph++;
    stream_of(stream).capture = graph;
    if (const Listener* l = listener()) l->graph_changed(9, {graph, nullptr, nullptr, nullptr, 0, nullptr});
    return 0;
  });
}

EXPORT int cuStreamEndCapture(void* stream, void** graph) {
  return api(497, "cuStreamEndCapture", nullptr, nullptr, [&](const ApiCall&) {
    *graph = stream_of(stream).capture;
    stream_of(stream).capture = nullptr;
    return 0;
  });
}

/// The real one tells of three graphs: the program's, the executable one, and the form that the device takes.
EXPORT int cuGraphInstantiateWithFlags(void** handle, void* graph_handle, uint64_t) {
  return api(643, "cuGraphInstantiateWithFlags", nullptr, nullptr, [&](const ApiCall&) {
    const auto& graph = *static_cast<const Graph*>(graph_handle);
    auto* exec = new Exec;
    exec->id = state().next_graph++;
    exec->lowered.id = state().next_graph++;
    const Listener* l = listener();
    if (l != nullptr) l->graph_changed(9, {exec, nullptr, nullptr, nullptr, 0, nullptr});
    for (const auto& node : graph.nodes) {
      exec->nodes.push_back(std::make_unique<Node>(*node));
      exec->nodes.back()->id = state().next_node++;
      if (l != nullptr) l->graph_changed(20, {exec, &graph, exec->nodes.back().get(), node.get(), 0, nullptr});
    }
    if (l != nullptr) l->graph_changed(9, {&exec->lowered, nullptr, nullptr, nullptr, 0, nullptr});
    if (l != nullptr) l->graph_changed(17, {&graph, nullptr, nullptr, nullptr, 0, exec});
    if (l != nullptr) l->graph_changed(18, {&graph, nullptr, nullptr, nullptr, 0, exec});
    *handle = exec;
    return 0;
  });
}

EXPORT int cuGraphLaunch(void* handle, void* stream_handle) {
  struct {
    void* exec;
    void* stream;
  } const parameters{handle, stream_handle};
  return api(514, "cuGraphLaunch", &parameters, nullptr, [&](const ApiCall& call) {
    launch_nodes(*static_cast<Exec*>(handle), stream_of(stream_handle), call);
    return 0;
  });
}

EXPORT int cuGraphExecDestroy(void* exec) {
  return api(516, "cuGraphExecDestroy", nullptr, nullptr, [&](const ApiCall&) {
    delete static_cast<Exec*>(exec);
    return 0;
  });
}

EXPORT int cuGraphDestroy(void* graph) {
  return api(517, "cuGraphDestroy", nullptr, nullptr, [&](const ApiCall&) {
    delete static_cast<Graph*>(graph);
    return 0;
  });
}

/// For the tests: when what the stream was given last begins and ends is known to them alone by this.
EXPORT int64_t fakeCudaReadyNs(void* stream) { return current_context() == nullptr ? 0 : stream_of(stream).ready; }

/// For the tests: whether CUPTI still hears of what is done here.
EXPORT int fakeCudaIsListened() { return listener() == nullptr ? 0 : 1; }

}  // namespace fake_cuda
