#pragma once

#include <string>

#include "trace/trace.h"

namespace sonde::record {

/// A kernel's name as it is linked, as C++ declares it, and its bare name.
struct KernelNames {
  NameId mangled = kNone;
  NameId declared = kNone;
  NameId bare = kNone;
};

/// A name that cannot be demangled stands for all three.
[[nodiscard]] KernelNames kernel_names(StringPool& names, const std::string& mangled);

}  // namespace sonde::record
