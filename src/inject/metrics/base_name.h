#pragma once

#include <cstddef>

namespace sonde::inject::metrics {

struct Part {
  const char* data;
  size_t bytes;
};

/// The name of a function without namespaces, template arguments and parameters, out of the linker's name for it
/// (Itanium C++ ABI, 5.1.2): "gemm" of "_ZN7cutlass4gemmIfEEvPKf". The whole name where it is no C++ one, or not
/// understood.
[[nodiscard]] Part base_name(const char* mangled) noexcept;

}  // namespace sonde::inject::metrics
