#include "inject/instructions/sass_metrics.h"

namespace sonde::inject::instructions {

const char* find_functions(Functions& functions, const cupti::Library& library) noexcept {
#define SONDE_SASS_METRICS(member, name, parameters)  \
  functions.member.set(cupti::symbol(library, name)); \
  if (!functions.member.is_there()) return name;
#include "inject/instructions/sass_metrics.inc"
  return nullptr;
}

}  // namespace sonde::inject::instructions
