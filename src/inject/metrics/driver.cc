#include "inject/metrics/driver.h"

#include <dlfcn.h>
#include <pthread.h>

namespace sonde::inject::metrics {
namespace {

constinit Driver driver;
constinit pthread_once_t once = PTHREAD_ONCE_INIT;

template <typename Function>
void find(void* library, Function& function, const char* name) noexcept {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

void find_all() noexcept {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return;
  find(library, driver.device_name, "cuDeviceGetName");
  find(library, driver.device_attribute, "cuDeviceGetAttribute");
  find(library, driver.current_device, "cuCtxGetDevice");
  find(library, driver.function_attribute, "cuFuncGetAttribute");
  find(library, driver.function_of_kernel, "cuKernelGetFunction");
  find(library, driver.is_capturing, "cuStreamIsCapturing");
}

}  // namespace

const Driver& the_driver() noexcept {
  pthread_once(&once, find_all);
  return driver;
}

}  // namespace sonde::inject::metrics
