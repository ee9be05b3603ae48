#include "record/cuda/kernel_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "trace/kernel_name.h"

namespace sonde::record {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }  // NOLINT: the C++ library hands out malloc()'s memory
};

std::string declared_name(const std::string& mangled) {
  int failed = 0;
  const std::unique_ptr<char, Free> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &failed));
  return failed == 0 && text != nullptr ? std::string(text.get()) : mangled;
}

}  // namespace

KernelNames kernel_names(StringPool& names, const std::string& mangled) {
  const std::string declared = declared_name(mangled);
  return {names.intern(mangled), names.intern(declared), names.intern(short_kernel_name(declared))};
}

}  // namespace sonde::record
