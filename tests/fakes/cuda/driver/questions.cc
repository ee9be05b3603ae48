#include <cstdio>
#include <cstring>

#include "state.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

// What profilers ask the driver: an H100's answers.
namespace fake_cuda {
namespace {

struct Attribute {
  int number;  ///< CUdevice_attribute
  int value;
};
constexpr Attribute kAttributes[] = {{1, 1024},     {8, 49152},   {9, 65536},    {10, 32},   {12, 65536},
                                     {13, 1980000}, {16, 132},    {36, 2619000}, {37, 5120}, {38, 52428800},
                                     {39, 2048},    {40, 3},      {75, 9},       {76, 0},    {81, 233472},
                                     {82, 65536},   {97, 232448}, {106, 32},     {111, 1024}};

}  // namespace

EXPORT int cuDeviceGetName(char* name, int bytes, int device) {
  if (device < 0 || static_cast<uint32_t>(device) >= kDevices) return kInvalidValue;
  snprintf(name, static_cast<size_t>(bytes), "Stand-in GPU %d", device);
  return kSuccess;
}

EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  if (device < 0 || static_cast<uint32_t>(device) >= kDevices) return kInvalidValue;
  *bytes = size_t{80} << 30U;
  return kSuccess;
}

EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (device < 0 || static_cast<uint32_t>(device) >= kDevices) return kInvalidValue;
  for (const Attribute& known : kAttributes) {
    if (known.number != attribute) continue;
    *value = known.value;
    return kSuccess;
  }
  return kInvalidValue;
}

EXPORT int cuCtxGetDevice(int* device) {
  if (current_context() == nullptr) return kInvalidContext;
  *device = static_cast<int>(current_context()->device);
  return kSuccess;
}

EXPORT int cuFuncGetAttribute(int* value, int attribute, const Kernel* kernel) {
  constexpr int kShared = 1, kLocal = 3, kRegisters = 4;
  if (attribute != kShared && attribute != kLocal && attribute != kRegisters) return kInvalidValue;
  *value = static_cast<int>(attribute == kShared  ? kernel->static_shared_bytes
                            : attribute == kLocal ? kernel->local_bytes_per_thread
                                                  : kernel->registers);
  return kSuccess;
}

EXPORT int cuStreamIsCapturing(void* stream, uint32_t* status) {
  if (current_context() == nullptr) return kInvalidContext;
  *status = stream_of(stream).capture == nullptr ? 0 : 1;
  return kSuccess;
}

}  // namespace fake_cuda
