#include <cerrno>

#include "inject/cupti/timeline.h"
#include "inject/export.h"
#include "inject/gpu_metrics/sampling.h"
#include "inject/metrics/attach.h"

/// The driver calls it within cuInit(), in each process that inherits CUDA_INJECTION64_PATH.
// NOLINTNEXTLINE(readability-identifier-naming): the name is the driver's.
extern "C" SONDE_EXPORT int InitializeInjection() noexcept {
  const int error = errno;
  sonde::inject::cupti::begin_timeline();
  sonde::inject::metrics::attach_metrics();
  sonde::inject::gpu_metrics::begin_sampling();
  errno = error;
  return 1;
}
