#include "inject/cupti/clock.h"

#include <pthread.h>

#include <atomic>

#include "inject/attachment.h"

namespace sonde::inject::cupti {
namespace {

struct Difference {
  int64_t ahead_ns = 0;  ///< CUPTI's clock minus ours
  int64_t error_ns = 0;
};

constinit std::atomic<bool> asks_us{false};
constinit Difference at_begin;
constinit std::atomic<int64_t> ahead_ns{0};  ///< by which times are converted
constinit std::atomic<int64_t> last_drift_ns{0};

/// From CUDA 12.6 Update 2 to 13.0 CUPTI gave some kernels no times where it had a clock to ask (release notes of
/// CUDA 13.1). The releases of CUDA 12.6 have one number.
bool asks_well(uint32_t version) noexcept {
  constexpr uint32_t kCuda126 = 24;
  constexpr uint32_t kCuda131 = 130100;
  return version < kCuda126 || version >= kCuda131;
}

uint64_t our_time() noexcept { return static_cast<uint64_t>(now_ns()); }

/// Of some readings of one clock between two of the other the closest pair: half the distance is the error. `found` is
/// left as it is where CUPTI does not tell its time.
Result measure(const Library& library, Difference& found) noexcept {
  constexpr int kReadings = 64;
  Difference best{0, INT64_MAX};
  for (int i = 0; i < kReadings; ++i) {
    uint64_t theirs = 0;
    const int64_t before = now_ns();
    const Result result = library.timestamp(&theirs);
    if (result != Result::ok) return result;
    const int64_t after = now_ns();
    const int64_t error = (after - before + 1) / 2;
    if (error < best.error_ns) best = {static_cast<int64_t>(theirs) - before - (after - before) / 2, error};
  }
  found = best;
  return Result::ok;
}

constinit pthread_once_t clock_set = PTHREAD_ONCE_INIT;
constinit Result set = Result::ok;

void set_once() noexcept {
  const Library& cupti = *library();
  asks_us = asks_well(cupti.version) && cupti.register_clock(&our_time) == Result::ok;
  if (asks_us) return;
  set = measure(cupti, at_begin);
  ahead_ns = at_begin.ahead_ns;
}

}  // namespace

Result set_clock() noexcept {
  pthread_once(&clock_set, set_once);
  return set;
}

int64_t to_monotonic(int64_t cupti_ns) noexcept { return cupti_ns - ahead_ns.load(std::memory_order_relaxed); }

ClockState follow_clock(const Library& library) noexcept {
  constexpr int64_t kNoticeableNs = 1000;  // more than two measurements differ by: times must not jump by their errors
  if (asks_us) return {};
  Difference now;
  if (measure(library, now) == Result::ok) {
    const int64_t changed = now.ahead_ns - ahead_ns.load();
    if (changed > kNoticeableNs || changed < -kNoticeableNs) ahead_ns.store(now.ahead_ns);
    last_drift_ns.store(now.ahead_ns - at_begin.ahead_ns);
  }
  return {at_begin.error_ns, last_drift_ns.load()};
}

}  // namespace sonde::inject::cupti
