#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// Which functions of two recorders are the same, whatever their demanglers write.
namespace sonde {

/// What a recorder calls a device function; a name that it does not give is empty.
struct FunctionNames {
  std::string_view declaration;  ///< "void gemm<float, (int)64>(const T1 *, int)", or only "gemm"
  std::string_view mangled;      ///< the linker's name
};

/// A number for each of the names, the same for names of one function. Names are equal by the linker's name, or by
/// their declarations without what demanglers write differently: blanks, the return type, const, casts of template
/// arguments, suffixes of numbers, the words for unnamed namespaces and lambdas. A declaration that lacks a part
/// (parameters in terms of template parameters, or all but the bare name) is compared by what it has.
[[nodiscard]] std::vector<uint32_t> number_functions(std::span<const FunctionNames> names);

}  // namespace sonde
