// The part of libcuda.so.1 that loads code: the one kernel of a text of PTX, which takes a microsecond.
// SONDE_FAKE_DRIVER=NAME:NUMBER makes the call of that name give that error.
#include <cstdlib>
#include <cstring>
#include <string>

#include "driver/state.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

int fault_of(const char* name) {
  const char* fault = getenv("SONDE_FAKE_DRIVER");
  const size_t length = strlen(name);
  const bool is_meant = fault != nullptr && strncmp(fault, name, length) == 0 && fault[length] == ':';
  return is_meant ? atoi(fault + length + 1) : 0;
}

}  // namespace

EXPORT int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return fault_of("cuDeviceGet");
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int) { return 0; }

EXPORT int cuModuleLoadData(void** module, const void* image) {
  *module = new std::string(static_cast<const char*>(image));
  return fault_of("cuModuleLoadData");
}

EXPORT int cuModuleGetFunction(void** function, void* module, const char* name) {
  constexpr int kNotFound = 500;
  const auto& code = *static_cast<const std::string*>(module);
  if (code.find(std::string(".entry ") + name + "(") == std::string::npos) return kNotFound;
  *function = new fake_cuda::Kernel{strdup(name), 0, 0, 0, 0};
  return 0;
}

EXPORT int cuGetErrorName(int error, const char** name) {
  constexpr int kInvalidValue = 1;
  constexpr int kOutOfMemory = 2;
  *name = error == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : nullptr;
  return *name == nullptr ? kInvalidValue : 0;
}
