#include "inject/driver.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>

namespace sonde::inject {
namespace {

constinit Driver driver;
constinit pthread_once_t driver_once = PTHREAD_ONCE_INIT;

void find_driver() noexcept {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return;
  const auto find = [&](auto& function, const char* name) { function.set(dlsym(library, name)); };
  find(driver.initialize, "cuInit");
  find(driver.device_count, "cuDeviceGetCount");
  find(driver.device_name, "cuDeviceGetName");
  find(driver.device_attribute, "cuDeviceGetAttribute");
  find(driver.device_memory, "cuDeviceTotalMem_v2");
  find(driver.device_uuid, "cuDeviceGetUuid_v2");
  if (!driver.device_uuid.is_there()) find(driver.device_uuid, "cuDeviceGetUuid");
  find(driver.current_context, "cuCtxGetCurrent");
  find(driver.current_device, "cuCtxGetDevice");
  find(driver.function_attribute, "cuFuncGetAttribute");
  find(driver.function_of_kernel, "cuKernelGetFunction");
  find(driver.is_capturing, "cuStreamIsCapturing");
  find(driver.wait_for_stream, "cuStreamSynchronize");
}

}  // namespace

const Driver& the_driver() noexcept {
  pthread_once(&driver_once, find_driver);
  return driver;
}

bool is_driver_ready() noexcept {
  static constinit std::atomic<bool> ready{false};
  int count = 0;
  if (!ready.load(std::memory_order_relaxed) && the_driver().device_count(&count) == 0) ready.store(true);
  return ready.load(std::memory_order_relaxed);
}

int result_of_initialization() noexcept {
  if (is_driver_ready()) return 0;
  static constinit pthread_once_t asked = PTHREAD_ONCE_INIT;
  static constinit std::atomic<int> result{0};
  pthread_once(&asked, [] { result.store(the_driver().initialize(0)); });
  return result.load();
}

uint64_t attribute_of(int device, int attribute) noexcept {
  int value = 0;
  const bool told = the_driver().device_attribute(&value, attribute, device) == 0 && value > 0;
  return told ? static_cast<uint64_t>(value) : 0;
}

}  // namespace sonde::inject
