#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// The declaration behind a mangled name ("_Z4saxpyi" -> "saxpy(int)"); any other name as it is.
[[nodiscard]] std::string declared_name(const std::string& name);

/// The bare name of a function from its C++ declaration: without return type, namespaces, template arguments and
/// parameters, as Nsight Systems' "base" names are ("void at::native::fill<4, F>(int)" -> "fill"). A part of `name`;
/// the whole of it where it does not read as a declaration.
[[nodiscard]] std::string_view short_kernel_name(std::string_view name);

/// A declaration without the casts of integers among its template arguments, as ncu prints it on all pages but the
/// source page: "f<(int)128, (bool)1>(int)" -> "f<128, 1>(int)".
[[nodiscard]] std::string without_casts(std::string_view name);

/// A declaration whose parameters are written as NVIDIA's demangler does: "f(double const*, int&)" ->
/// "f(const double *, int &)". Parameters with template arguments or of functions stay.
[[nodiscard]] std::string with_spaced_pointers(std::string_view name);

}  // namespace sonde
