#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/guarded_call.h"

/// What is asked of the CUDA driver, which the program has loaded: functions of cuda.h under names of our own. Each
/// gives 0 for success.
namespace sonde::inject::metrics {

struct Driver {
  Guarded<int(char* name, int bytes, int device)> device_name;
  Guarded<int(int* value, int attribute, int device)> device_attribute;
  Guarded<int(int* device)> current_device;
  Guarded<int(int* value, int attribute, void* function)> function_attribute;
  Guarded<int(void** function, void* kernel)> function_of_kernel;
  Guarded<int(void* stream, uint32_t* status)> is_capturing;
};

/// Found at the first call. Not for signal handlers.
[[nodiscard]] const Driver& the_driver() noexcept;

}  // namespace sonde::inject::metrics
