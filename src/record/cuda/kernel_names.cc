#include "record/cuda/kernel_names.h"

#include "trace/kernel_name.h"

namespace sonde::record {

KernelNames kernel_names(StringPool& names, const std::string& mangled) {
  const std::string declared = declared_name(mangled);
  return {names.intern(mangled), names.intern(declared), names.intern(short_kernel_name(declared))};
}

}  // namespace sonde::record
