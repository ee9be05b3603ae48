#include "parts.h"
#include "pm_host.h"

// CUPTI's host functions, for as long as there is no other part that has them.
#if FAKE_CUPTI_VERSION >= 24
namespace fake_cuda::cupti {

struct PmChip {
  size_t size;
  void* reserved;
  size_t device;
  const char* name;
};

EXPORT uint32_t cuptiProfilerInitialize(void*) { return kSuccess; }

EXPORT uint32_t cuptiDeviceGetChipName(PmChip* p) {
  if (p->device >= driver()->devices()) return kInvalidParameter;
  p->name = pm_chip();
  return kSuccess;
}

#define HOST_FUNCTION(name) \
  EXPORT uint32_t cupti##name(void* params) { return answer_for_sampling(#name, params).value_or(kInvalidParameter); }
HOST_FUNCTION(ProfilerHostInitialize)
HOST_FUNCTION(ProfilerHostDeinitialize)
HOST_FUNCTION(ProfilerHostGetMetricProperties)
HOST_FUNCTION(ProfilerHostConfigAddMetrics)
HOST_FUNCTION(ProfilerHostGetConfigImageSize)
HOST_FUNCTION(ProfilerHostGetConfigImage)
HOST_FUNCTION(ProfilerHostGetNumOfPasses)
HOST_FUNCTION(ProfilerHostEvaluateToGpuValues)

}  // namespace fake_cuda::cupti
#endif
