#include "record/kernels/function_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "trace/kernel_name.h"

namespace sonde::record {

FunctionName function_name(std::string_view mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &status), &std::free);
  FunctionName name{status == 0 && text ? std::string(text.get()) : std::string(mangled), {}};
  name.base = short_kernel_name(name.declaration);
  return name;
}

}  // namespace sonde::record
