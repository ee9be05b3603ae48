#pragma once

#include <cstddef>
#include <cstdint>

/// What is asked of the CUDA driver, which the program has loaded: functions of cuda.h under names of our own. A null
/// one is one that this driver lacks; each gives 0 for success.
namespace sonde::inject::metrics {

struct Driver {
  int (*device_name)(char* name, int bytes, int device) = nullptr;
  int (*device_attribute)(int* value, int attribute, int device) = nullptr;
  int (*current_device)(int* device) = nullptr;
  int (*function_attribute)(int* value, int attribute, void* function) = nullptr;
  int (*function_of_kernel)(void** function, void* kernel) = nullptr;
  int (*is_capturing)(void* stream, uint32_t* status) = nullptr;
};

/// Found at the first call. Not for signal handlers.
[[nodiscard]] const Driver& the_driver() noexcept;

}  // namespace sonde::inject::metrics
