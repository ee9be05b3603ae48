#include "inject/metrics/driver.h"

#include <pthread.h>

#include "inject/driver_function.h"

namespace sonde::inject::metrics {
namespace {

constinit Driver driver;
constinit pthread_once_t once = PTHREAD_ONCE_INIT;

template <typename Function>
void find(Guarded<Function>& function, const char* name) noexcept {
  function = driver_function<Function>(name);
}

void find_all() noexcept {
  find(driver.device_name, "cuDeviceGetName");
  find(driver.device_attribute, "cuDeviceGetAttribute");
  find(driver.current_device, "cuCtxGetDevice");
  find(driver.function_attribute, "cuFuncGetAttribute");
  find(driver.function_of_kernel, "cuKernelGetFunction");
  find(driver.is_capturing, "cuStreamIsCapturing");
}

}  // namespace

const Driver& the_driver() noexcept {
  pthread_once(&once, find_all);
  return driver;
}

}  // namespace sonde::inject::metrics
