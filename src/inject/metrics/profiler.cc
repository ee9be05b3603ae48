#include "inject/metrics/profiler.h"

namespace sonde::inject::metrics {

const char* find_functions(Profiler& profiler, const cupti::Library& library) noexcept {
  profiler.library = &library;
#define SONDE_PROFILER(member, name, parameters)     \
  profiler.member.set(cupti::symbol(library, name)); \
  if (!profiler.member.is_there()) return name;
#include "inject/metrics/profiler.inc"
  return nullptr;
}

}  // namespace sonde::inject::metrics
