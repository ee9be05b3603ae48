/* The little of CUDA's runtime that the recorded programs of the tests need: of the stand-in (tests/fakes/cuda), whose
 * kernels take as long as their first argument says. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What stands for a kernel's function. */
struct fake_kernel {
  const char* name; /* mangled */
  uint32_t registers;
  uint32_t static_shared_bytes;
  uint32_t local_bytes_per_thread;
  uint32_t faults;
};

typedef struct {
  unsigned x, y, z;
} dim3;

enum { to_device = 1, to_host = 2, within_device = 3 }; /* cudaMemcpyKind */

int cudaSetDevice(int device);
int cudaGetDevice(int* device);
int cudaMalloc(void** address, size_t bytes);
int cudaMallocManaged(void** address, size_t bytes, unsigned flags);
int cudaMallocAsync(void** address, size_t bytes, void* stream);
int cudaFree(void* address);
int cudaFreeAsync(void* address, void* stream);
int cudaMemcpy(void* to, const void* from, size_t bytes, int kind);
int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream);
int cudaMemcpyPeerAsync(void* to, int to_gpu, const void* from, int from_gpu, size_t bytes, void* stream);
int cudaMemsetAsync(void* address, int value, size_t bytes, void* stream);
int cudaMemPrefetchAsync(const void* address, size_t bytes, int device, void* stream);
int cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, void* stream);
int cudaStreamCreate(void** stream);
int cudaStreamSynchronize(void* stream);
int cudaStreamWaitEvent(void* stream, void* event, unsigned flags);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaEventCreate(void** event);
int cudaEventRecord(void* event, void* stream);
int cudaEventSynchronize(void* event);
int cudaEventElapsedTime(float* ms, void* start, void* end);
int cudaStreamBeginCapture(void* stream, int mode);
int cudaStreamEndCapture(void* stream, void** graph);
int cudaGraphInstantiate(void** exec, void* graph, unsigned long long flags);
int cudaGraphLaunch(void* exec, void* stream);
int cudaProfilerStart(void);
int cudaProfilerStop(void);
