#pragma once

#include <dlfcn.h>

#include "inject/guarded_call.h"

namespace sonde::inject {

/// A function of the CUDA driver that the program has loaded; not there where it has not, or the driver lacks it. Each
/// gives 0 for success. Not for signal handlers.
template <typename Function>
[[nodiscard]] Guarded<Function> driver_function(const char* name) noexcept {
  Guarded<Function> function;
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library != nullptr) function.set(dlsym(library, name));
  return function;
}

/// Waits for what a stream was given, on a thread that could launch into it; nothing without a driver. Only this
/// stream: a wait for the context is an error, and ends the capture, where another of its streams is being captured.
inline void wait_for_stream(void* stream) noexcept {
  static const auto wait = driver_function<int(void*)>("cuStreamSynchronize");
  static_cast<void>(wait(stream));
}

}  // namespace sonde::inject
