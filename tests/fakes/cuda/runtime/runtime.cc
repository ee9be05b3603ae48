// The stand-in's runtime library. As the real one it opens the driver's library by its name on the first call, and its
// calls are calls of the driver's within calls of its own.
#include <dlfcn.h>

#include <cstdlib>

#include "machine.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace fake_cuda {
namespace {

/// cudaError_t
constexpr int kInsufficientDriver = 35;

void* library() {
  static void* opened = dlopen(kDriverLibrary, RTLD_NOW);
  return opened;
}

template <typename F>
F function(const char* name) {
  return library() == nullptr ? nullptr : reinterpret_cast<F>(dlsym(library(), name));
}

/// Looked up once for each place of use. `types` is that of the driver's function.
#define DRIVER(name, ...)                                             \
  ([](auto... arguments) {                                            \
    static const auto called = function<int (*)(__VA_ARGS__)>(#name); \
    return called(arguments...);                                      \
  })

const Table* table() {
  static const auto get = function<GetTable>(kTableFunction);
  static const Table* const found = get == nullptr ? nullptr : get();
  return found;
}

thread_local int device = 0;
thread_local bool has_context = false;

int make_context() {
  if (table() == nullptr) return kInsufficientDriver;
  if (has_context) return 0;
  static const int initialized = DRIVER(cuInit, unsigned)(0U);
  if (initialized != 0) return initialized;
  void* context = nullptr;
  const int error = DRIVER(cuDevicePrimaryCtxRetain, void**, int)(&context, device);
  if (error != 0) return error;
  has_context = true;
  return DRIVER(cuCtxSetCurrent, void*)(context);
}

/// Runs `body` as a call of the runtime's API.
template <typename Body>
int api(uint32_t id, const char* name, const void* parameters, const char* symbol, Body body) {
  if (table() == nullptr) return kInsufficientDriver;
  static const int initialized = DRIVER(cuInit, unsigned)(0U);  // the tools see this call from its begin
  if (initialized != 0) return initialized;
  ApiCall call{};
  call.domain = Domain::runtime;
  call.id = id;
  call.name = name;
  call.parameters = parameters;
  call.symbol = symbol;
  table()->enter(&call);
  const int error = make_context();
  call.result = static_cast<uint32_t>(error != 0 ? error : body());
  table()->leave(&call);
  return static_cast<int>(call.result);
}

struct Dim3 {
  unsigned x, y, z;
};

/// cudaLaunchKernel_v7000_params of generated_cuda_runtime_api_meta.h.
struct LaunchParameters {
  const void* function;
  Dim3 grid;
  Dim3 block;
  void** arguments;
  size_t shared;
  void* stream;
};

/// cudaMemcpyKind
constexpr int kToDevice = 1, kToHost = 2;

int copy_async(void* to, const void* from, size_t bytes, int kind, void* stream) {
  const auto target = reinterpret_cast<uint64_t>(to);
  const auto source = reinterpret_cast<uint64_t>(from);
  if (kind == kToDevice)
    return DRIVER(cuMemcpyHtoDAsync_v2, uint64_t, const void*, size_t, void*)(target, from, bytes, stream);
  if (kind == kToHost) return DRIVER(cuMemcpyDtoHAsync_v2, void*, uint64_t, size_t, void*)(to, source, bytes, stream);
  return DRIVER(cuMemcpyDtoDAsync_v2, uint64_t, uint64_t, size_t, void*)(target, source, bytes, stream);
}

}  // namespace

EXPORT int cudaSetDevice(int number) {
  device = number;
  has_context = false;
  return api(16, "cudaSetDevice_v3020", nullptr, nullptr, [] { return 0; });
}

EXPORT int cudaGetDevice(int* number) {
  return api(17, "cudaGetDevice_v3020", nullptr, nullptr, [&] { return *number = device, 0; });
}

EXPORT int cudaMalloc(void** address, size_t bytes) {
  return api(20, "cudaMalloc_v3020", nullptr, nullptr,
             [&] { return DRIVER(cuMemAlloc_v2, uint64_t*, size_t)(reinterpret_cast<uint64_t*>(address), bytes); });
}

EXPORT int cudaMallocManaged(void** address, size_t bytes, unsigned flags) {
  return api(206, "cudaMallocManaged_v6000", nullptr, nullptr, [&] {
    return DRIVER(cuMemAllocManaged, uint64_t*, size_t, unsigned)(reinterpret_cast<uint64_t*>(address), bytes, flags);
  });
}

EXPORT int cudaMallocAsync(void** address, size_t bytes, void* stream) {
  return api(373, "cudaMallocAsync_v11020", nullptr, nullptr, [&] {
    return DRIVER(cuMemAllocAsync, uint64_t*, size_t, void*)(reinterpret_cast<uint64_t*>(address), bytes, stream);
  });
}

EXPORT int cudaFree(void* address) {
  return api(22, "cudaFree_v3020", nullptr, nullptr, [&] {
    return address == nullptr ? 0 : DRIVER(cuMemFree_v2, uint64_t)(reinterpret_cast<uint64_t>(address));
  });
}

EXPORT int cudaFreeAsync(void* address, void* stream) {
  return api(375, "cudaFreeAsync_v11020", nullptr, nullptr,
             [&] { return DRIVER(cuMemFreeAsync, uint64_t, void*)(reinterpret_cast<uint64_t>(address), stream); });
}

EXPORT int cudaMemcpy(void* to, const void* from, size_t bytes, int kind) {
  return api(31, "cudaMemcpy_v3020", nullptr, nullptr, [&] {
    if (kind == kToDevice) {
      return DRIVER(cuMemcpyHtoD_v2, uint64_t, const void*, size_t)(reinterpret_cast<uint64_t>(to), from, bytes);
    }
    if (kind == kToHost) {
      return DRIVER(cuMemcpyDtoH_v2, void*, uint64_t, size_t)(to, reinterpret_cast<uint64_t>(from), bytes);
    }
    return copy_async(to, from, bytes, kind, nullptr);
  });
}

EXPORT int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
  return api(41, "cudaMemcpyAsync_v3020", nullptr, nullptr, [&] { return copy_async(to, from, bytes, kind, stream); });
}

EXPORT int cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes, void* stream) {
  return api(161, "cudaMemcpyPeerAsync_v4000", nullptr, nullptr, [&] {
    void* contexts[2] = {};
    const int devices[2] = {to_device, from_device};
    for (int i = 0; i < 2; ++i) {
      const int error = DRIVER(cuDevicePrimaryCtxRetain, void**, int)(&contexts[i], devices[i]);
      if (error != 0) return error;
    }
    return DRIVER(cuMemcpyPeerAsync, uint64_t, void*, uint64_t, void*, size_t, void*)(
        reinterpret_cast<uint64_t>(to), contexts[0], reinterpret_cast<uint64_t>(from), contexts[1], bytes, stream);
  });
}

EXPORT int cudaMemsetAsync(void* address, int value, size_t bytes, void* stream) {
  return api(51, "cudaMemsetAsync_v3020", nullptr, nullptr, [&] {
    return DRIVER(cuMemsetD8Async, uint64_t, unsigned char, size_t, void*)(
        reinterpret_cast<uint64_t>(address), static_cast<unsigned char>(value), bytes, stream);
  });
}

EXPORT int cudaMemPrefetchAsync(const void* address, size_t bytes, int to_device, void* stream) {
  return api(252, "cudaMemPrefetchAsync_v8000", nullptr, nullptr, [&] {
    return DRIVER(cuMemPrefetchAsync, uint64_t, size_t, int, void*)(reinterpret_cast<uint64_t>(address), bytes,
                                                                    to_device, stream);
  });
}

EXPORT int cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared, void* stream) {
  const LaunchParameters parameters{kernel, grid, block, arguments, shared, stream};
  return api(211, "cudaLaunchKernel_v7000", &parameters, static_cast<const Kernel*>(kernel)->name, [&] {
    return DRIVER(cuLaunchKernel, const void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void*, void**, void**)(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                         static_cast<unsigned>(shared), stream, arguments, nullptr);
  });
}

EXPORT int cudaStreamCreate(void** stream) {
  return api(129, "cudaStreamCreate_v3020", nullptr, nullptr,
             [&] { return DRIVER(cuStreamCreate, void**, unsigned)(stream, 0U); });
}
EXPORT int cudaStreamSynchronize(void* stream) {
  return api(131, "cudaStreamSynchronize_v3020", nullptr, nullptr,
             [&] { return DRIVER(cuStreamSynchronize, void*)(stream); });
}
EXPORT int cudaStreamDestroy(void* stream) {
  return api(201, "cudaStreamDestroy_v5050", nullptr, nullptr,
             [&] { return DRIVER(cuStreamDestroy_v2, void*)(stream); });
}
EXPORT int cudaStreamWaitEvent(void* stream, void* event, unsigned flags) {
  return api(147, "cudaStreamWaitEvent_v3020", nullptr, nullptr,
             [&] { return DRIVER(cuStreamWaitEvent, void*, void*, unsigned)(stream, event, flags); });
}
EXPORT int cudaDeviceReset() {
  return api(164, "cudaDeviceReset_v3020", nullptr, nullptr, [] {
    has_context = false;
    return DRIVER(cuDevicePrimaryCtxReset_v2, int)(device);
  });
}

EXPORT int cudaDeviceSynchronize() {
  return api(165, "cudaDeviceSynchronize_v3020", nullptr, nullptr, [] { return DRIVER(cuCtxSynchronize, )(); });
}

EXPORT int cudaEventCreate(void** event) {
  return api(133, "cudaEventCreate_v3020", nullptr, nullptr,
             [&] { return DRIVER(cuEventCreate, void**, unsigned)(event, 0U); });
}
EXPORT int cudaEventRecord(void* event, void* stream) {
  return api(135, "cudaEventRecord_v3020", nullptr, nullptr,
             [&] { return DRIVER(cuEventRecord, void*, void*)(event, stream); });
}
EXPORT int cudaEventSynchronize(void* event) {
  return api(137, "cudaEventSynchronize_v3020", nullptr, nullptr,
             [&] { return DRIVER(cuEventSynchronize, void*)(event); });
}
EXPORT int cudaEventElapsedTime(float* ms, void* start, void* end) {
  return api(139, "cudaEventElapsedTime_v3020", nullptr, nullptr,
             [&] { return DRIVER(cuEventElapsedTime, float*, void*, void*)(ms, start, end); });
}
EXPORT int cudaEventDestroy(void* event) {
  return api(136, "cudaEventDestroy_v3020", nullptr, nullptr, [&] { return DRIVER(cuEventDestroy_v2, void*)(event); });
}

EXPORT int cudaStreamBeginCapture(void* stream, int mode) {
  return api(315, "cudaStreamBeginCapture_v10000", nullptr, nullptr,
             [&] { return DRIVER(cuStreamBeginCapture_v2, void*, int)(stream, mode); });
}
EXPORT int cudaStreamEndCapture(void* stream, void** graph) {
  return api(319, "cudaStreamEndCapture_v10000", nullptr, nullptr,
             [&] { return DRIVER(cuStreamEndCapture, void*, void**)(stream, graph); });
}
EXPORT int cudaGraphInstantiate(void** exec, void* graph, unsigned long long flags) {
  return api(310, "cudaGraphInstantiate_v10000", nullptr, nullptr,
             [&] { return DRIVER(cuGraphInstantiateWithFlags, void**, void*, uint64_t)(exec, graph, flags); });
}
EXPORT int cudaGraphLaunch(void* exec, void* stream) {
  return api(311, "cudaGraphLaunch_v10000", nullptr, nullptr,
             [&] { return DRIVER(cuGraphLaunch, void*, void*)(exec, stream); });
}
EXPORT int cudaGraphExecDestroy(void* exec) {
  return api(313, "cudaGraphExecDestroy_v10000", nullptr, nullptr,
             [&] { return DRIVER(cuGraphExecDestroy, void*)(exec); });
}
EXPORT int cudaGraphDestroy(void* graph) {
  return api(314, "cudaGraphDestroy_v10000", nullptr, nullptr, [&] { return DRIVER(cuGraphDestroy, void*)(graph); });
}

EXPORT int cudaProfilerStart() {
  return api(171, "cudaProfilerStart_v4000", nullptr, nullptr, [] { return DRIVER(cuProfilerStart, )(); });
}
EXPORT int cudaProfilerStop() {
  return api(172, "cudaProfilerStop_v4000", nullptr, nullptr, [] { return DRIVER(cuProfilerStop, )(); });
}

}  // namespace fake_cuda
