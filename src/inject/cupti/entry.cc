#include <atomic>
#include <cerrno>

#include "inject/attachment.h"
#include "inject/cupti/activities.h"
#include "inject/cupti/timeline.h"
#include "inject/door.h"
#include "inject/driver.h"
#include "inject/export.h"
#include "inject/gpu_metrics/sampling.h"
#include "inject/metrics/attach.h"
#include "inject/thread_chunk.h"

namespace sonde::inject {
namespace {

void note_first_cuda() noexcept {
  int64_t none = 0;
  attachment.header->first_cuda.compare_exchange_strong(none, now_ns());
}

/// Where there is a recorder: once a process, by whoever sees both first, the driver's call or the recorder's coming.
void begin_cuda() noexcept {
  static constinit std::atomic<uint64_t> begun{0};
  if (attachment.header == nullptr) return;
  const uint64_t own = own_token();
  if (begun.exchange(own) == own) return;
  note_first_cuda();
  cupti::begin_timeline();
  metrics::attach_metrics();
  gpu_metrics::begin_sampling();
}

constinit std::atomic<bool> has_cuda{false};

}  // namespace

void on_recorder() noexcept {
  if (!has_cuda.load()) return;
  if (is_driver_ready()) cupti::note_context();
  begin_cuda();
}

}  // namespace sonde::inject

/// The driver calls it within cuInit(), in each process that inherits CUDA_INJECTION64_PATH.
// NOLINTNEXTLINE(readability-identifier-naming): the name is the driver's.
extern "C" SONDE_EXPORT int InitializeInjection() noexcept {
  const int error = errno;
  sonde::inject::has_cuda.store(true);
  sonde::inject::open_door();
  sonde::inject::begin_cuda();
  errno = error;
  return 1;
}
