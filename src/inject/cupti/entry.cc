#include <cerrno>

#include "inject/cupti/timeline.h"
#include "inject/export.h"

/// The driver calls it within cuInit(), in each process that CUDA_INJECTION64_PATH goes on to.
// NOLINTNEXTLINE(readability-identifier-naming): the name is the driver's.
extern "C" SONDE_EXPORT int InitializeInjection() noexcept {
  const int error = errno;
  sonde::inject::cupti::begin_timeline();
  errno = error;
  return 1;
}
