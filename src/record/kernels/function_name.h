#pragma once

#include <string>
#include <string_view>

namespace sonde::record {

struct FunctionName {
  std::string declaration;  ///< "void gemm<float>(float const*)"
  std::string base;         ///< "gemm"
};

/// What people call a function, from the linker's name for it. A name that is no C++ one is both.
[[nodiscard]] FunctionName function_name(std::string_view mangled);

}  // namespace sonde::record
