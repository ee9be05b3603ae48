// The part of libcuda.so.1 that loads code: the kernels of a text of PTX. As with the real driver, the same name gives
// the same function again. Each launch of one takes a page fault if the program had managed memory when it first asked
// for the function.
// SONDE_FAKE_DRIVER=NAME:NUMBER makes the call of that name give that error.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
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

struct Module {
  std::string code;
  std::map<std::string, fake_cuda::Kernel> functions;
};

bool has_managed_memory() {
  const std::lock_guard lock(fake_cuda::state().mutex);
  return std::ranges::any_of(fake_cuda::state().allocations,
                             [](const auto& entry) { return entry.second.kind == fake_cuda::kManaged; });
}

}  // namespace

EXPORT int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return fault_of("cuDeviceGet");
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int) { return 0; }

EXPORT int cuModuleLoadData(void** module, const void* image) {
  *module = new Module{static_cast<const char*>(image), {}};
  return fault_of("cuModuleLoadData");
}

EXPORT int cuModuleGetFunction(void** function, void* module, const char* name) {
  constexpr int kNotFound = 500;
  auto& [code, functions] = *static_cast<Module*>(module);
  if (code.find(std::string(".entry ") + name + "(") == std::string::npos) return kNotFound;
  const auto [entry, is_new] = functions.try_emplace(name);
  if (is_new) entry->second = {entry->first.c_str(), 0, 0, 0, has_managed_memory() ? 1U : 0U};
  *function = &entry->second;
  return 0;
}

EXPORT int cuGetErrorName(int error, const char** name) {
  constexpr int kInvalidValue = 1;
  constexpr int kOutOfMemory = 2;
  *name = error == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : nullptr;
  return *name == nullptr ? kInvalidValue : 0;
}
