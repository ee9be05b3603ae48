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

}  // namespace sonde::inject
