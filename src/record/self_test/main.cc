// sonde-self-test: launches one kernel on the first GPU that this process may see, waits for it, and goes. `sonde
// record` runs it under its own library, to know whether kernels arrive in recordings of this machine.
//
// Ends with 0 where the kernel ran, kNoDriver where there is no driver or GPU, else with 1. What went wrong is printed
// in one line: the driver's call and its own word for the error.

#include <dlfcn.h>

#include <cstdio>

#include "record/self_test/exit_codes.h"

namespace {

// Of cuda.h, the driver's interface: numbers of errors, and the functions that are called.
constexpr int kSuccess = 0;
constexpr int kNoDevice = 100;

using Context = void*;
using Module = void*;
using Function = void*;

/// For the JIT of any GPU from 2014 on: a kernel without parameters that does nothing.
constexpr const char* kPtx =
    ".version 5.0\n.target sm_50\n.address_size 64\n.visible .entry sonde_self_test()\n{\n  ret;\n}\n";

void* driver = nullptr;

template <typename F>
F* function(const char* name) {
  return reinterpret_cast<F*>(dlsym(driver, name));
}

/// Calls a function of the driver. False, and said, where it is missing or fails.
template <typename... Arguments>
bool call(const char* name, Arguments... arguments) {
  auto* const called = function<int(Arguments...)>(name);
  const int result = called == nullptr ? -1 : called(arguments...);
  if (result == kSuccess) return true;
  const char* word = nullptr;
  auto* const name_of = function<int(int, const char**)>("cuGetErrorName");
  if (called == nullptr) {
    std::printf("the driver has no %s\n", name);
  } else if (name_of != nullptr && name_of(result, &word) == kSuccess && word != nullptr) {
    std::printf("%s returned %s\n", name, word);
  } else {
    std::printf("%s returned error %d\n", name, result);
  }
  return false;
}

bool launch() {
  Module module = nullptr;
  Function kernel = nullptr;
  return call("cuModuleLoadData", &module, static_cast<const void*>(kPtx)) &&
         call("cuModuleGetFunction", &kernel, module, "sonde_self_test") &&
         call("cuLaunchKernel", kernel, 1U, 1U, 1U, 1U, 1U, 1U, 0U, static_cast<void*>(nullptr),
              static_cast<void**>(nullptr), static_cast<void**>(nullptr)) &&
         call("cuCtxSynchronize");
}

bool run() {
  int device = 0;
  Context context = nullptr;
  if (!call("cuDeviceGet", &device, 0) || !call("cuDevicePrimaryCtxRetain", &context, device)) return false;
  const bool launched = call("cuCtxSetCurrent", context) && launch();
  return call("cuDevicePrimaryCtxRelease_v2", device) && launched;
}

}  // namespace

int main() {
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) {
    std::puts("libcuda.so.1 not found");
    return sonde::record::kNoDriver;
  }
  auto* const initialize = function<int(unsigned)>("cuInit");
  if (initialize != nullptr && initialize(0) == kNoDevice) {
    std::puts("the driver sees no GPU");
    return sonde::record::kNoDriver;
  }
  return call("cuInit", 0U) && run() ? 0 : 1;
}
