#include "record/kernels/function_name.h"

#include "trace/kernel_name.h"

namespace sonde::record {

FunctionName function_name(std::string_view mangled) {
  FunctionName name{declared_name(std::string(mangled)), {}};
  name.base = short_kernel_name(name.declaration);
  return name;
}

}  // namespace sonde::record
