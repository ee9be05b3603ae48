#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/guarded_call.h"

/// What is asked of the CUDA driver, which the program has loaded.
namespace sonde::inject {

/// Functions of cuda.h under names of our own. Each gives 0 for success.
struct Driver {
  Guarded<int(uint32_t flags)> initialize;
  Guarded<int(int* count)> device_count;
  Guarded<int(char* name, int bytes, int device)> device_name;
  Guarded<int(int* value, int attribute, int device)> device_attribute;
  Guarded<int(size_t* bytes, int device)> device_memory;
  Guarded<int(uint8_t* uuid, int device)> device_uuid;
  Guarded<int(void** context)> current_context;
  Guarded<int(int* device)> current_device;
  Guarded<int(int* value, int attribute, void* function)> function_attribute;
  Guarded<int(void** function, void* kernel)> function_of_kernel;
  Guarded<int(void* stream, uint32_t* status)> is_capturing;
  /// On a thread that could launch into it. Not for the context: that is an error, and ends the capture, where another
  /// of its streams is being captured.
  Guarded<int(void* stream)> wait_for_stream;
};

/// Found at the first call, within cuInit() or later. Not for signal handlers.
[[nodiscard]] const Driver& the_driver() noexcept;

/// Whether cuInit() has come back in this process, and well. cuDeviceGetCount() gives NOT_INITIALIZED until then, and
/// for good where cuInit() failed.
[[nodiscard]] bool is_driver_ready() noexcept;

/// What cuInit() gives in this process; another thread's call is waited for. It takes 60 to 120 ms where there is no
/// GPU (drivers 535 and 550), so it is for those that are about to give up.
[[nodiscard]] int result_of_initialization() noexcept;

/// CUdevice_attribute; 0 where the driver does not tell it.
[[nodiscard]] uint64_t attribute_of(int device, int attribute) noexcept;

}  // namespace sonde::inject
