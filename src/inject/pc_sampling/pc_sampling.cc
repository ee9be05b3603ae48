#include "inject/pc_sampling/pc_sampling.h"

namespace sonde::inject::pc_sampling {

const char* find_functions(Functions& functions, const cupti::Library& library) noexcept {
  if (library.version < kMinVersion) return "cuptiPCSamplingGetData";
#define SONDE_PC_SAMPLING(member, name, parameters)   \
  functions.member.set(cupti::symbol(library, name)); \
  if (!functions.member.is_there()) return name;
#include "inject/pc_sampling/pc_sampling.inc"
  return nullptr;
}

}  // namespace sonde::inject::pc_sampling
