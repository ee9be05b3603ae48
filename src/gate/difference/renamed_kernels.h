#pragma once

#include <map>
#include <string_view>

#include "gate/difference/leaf.h"

namespace sonde::gate {

/// The name without return type, namespaces, template arguments, parameters, and numbers at its end: "void
/// ns::gemm_v2<64>(int)" -> "gemm_v", "kernel_6563" -> "kernel".
[[nodiscard]] std::string_view base_kernel_name(std::string_view kernel);

/// What differs between two names of a kernel, whole words: "64 -> 128".
[[nodiscard]] std::string name_change(std::string_view base, std::string_view changed);

/// Kernels that only one side has, one on each side in the same module, with the same base name and launched as often,
/// are one kernel under two names: the base's leaf gets the new side's part and name.
void pair_renamed(std::map<LeafKey, Leaf>& leaves);

}  // namespace sonde::gate
