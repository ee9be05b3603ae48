#include <cerrno>

#include "inject/attachment.h"
#include "inject/cupti/timeline.h"
#include "inject/export.h"
#include "inject/gpu_metrics/sampling.h"
#include "inject/metrics/attach.h"

namespace sonde::inject {
namespace {

void note_first_cuda() noexcept {
  int64_t none = 0;
  if (attachment.header != nullptr) attachment.header->first_cuda.compare_exchange_strong(none, now_ns());
}

}  // namespace
}  // namespace sonde::inject

/// The driver calls it within cuInit(), in each process that inherits CUDA_INJECTION64_PATH.
// NOLINTNEXTLINE(readability-identifier-naming): the name is the driver's.
extern "C" SONDE_EXPORT int InitializeInjection() noexcept {
  const int error = errno;
  sonde::inject::note_first_cuda();
  sonde::inject::cupti::begin_timeline();
  sonde::inject::metrics::attach_metrics();
  sonde::inject::gpu_metrics::begin_sampling();
  errno = error;
  return 1;
}
