#include "inject/gpu_metrics/pm_sampling.h"

namespace sonde::inject::gpu_metrics {

const char* find_functions(PmSampling& sampling, const cupti::Library& library) noexcept {
  sampling.library = &library;
#define SONDE_PM_SAMPLING(member, name, ...)         \
  sampling.member.set(cupti::symbol(library, name)); \
  if (!sampling.member.is_there()) return name;
#include "inject/gpu_metrics/pm_sampling.inc"
  return nullptr;
}

}  // namespace sonde::inject::gpu_metrics
