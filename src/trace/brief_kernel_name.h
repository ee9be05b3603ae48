#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// The longest result of brief_kernel_name(), in characters.
inline constexpr size_t kLongestBriefName = 64;

/// A demangled C++ function as people name it: without return type, parameters and namespaces, template arguments as
/// deep as there is room: "vectorized_elementwise_kernel<4, FillFunctor<float>, Array<…>>". A namespace stays before a
/// name that says little ("gemm::kernel"). What is not such a signature is returned as it is, cut in its middle.
[[nodiscard]] std::string brief_kernel_name(std::string_view demangled);

}  // namespace sonde
