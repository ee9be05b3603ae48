#pragma once

#include <dlfcn.h>

namespace sonde::inject {

/// A function of the CUDA driver that the program has loaded; null where it has not, or the driver lacks it. Not for
/// signal handlers.
template <typename Function>
[[nodiscard]] Function driver_function(const char* name) noexcept {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

/// Waits for what a stream was given, on a thread that could launch into it; nothing without a driver. Only this
/// stream: a wait for the context is an error, and ends the capture, where another of its streams is being captured.
inline void wait_for_stream(void* stream) noexcept {
  static const auto wait = driver_function<int (*)(void*)>("cuStreamSynchronize");
  if (wait != nullptr) wait(stream);
}

}  // namespace sonde::inject
