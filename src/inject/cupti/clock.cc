#include "inject/cupti/clock.h"

#include "inject/attachment.h"

namespace sonde::inject::cupti {
namespace {

struct Difference {
  int64_t ahead_ns = 0;  ///< CUPTI's clock minus ours
  int64_t error_ns = 0;
};

constinit bool asks_us = false;
constinit Difference at_begin;

uint64_t our_time() noexcept { return static_cast<uint64_t>(now_ns()); }

/// Of some readings of one clock between two of the other the closest pair: half the distance is the error.
Difference measure(const Library& library) noexcept {
  constexpr int kReadings = 64;
  Difference best{0, INT64_MAX};
  for (int i = 0; i < kReadings; ++i) {
    uint64_t theirs = 0;
    const int64_t before = now_ns();
    if (library.timestamp(&theirs) != Result::ok) return {};
    const int64_t after = now_ns();
    const int64_t error = (after - before + 1) / 2;
    if (error < best.error_ns) best = {static_cast<int64_t>(theirs) - before - (after - before) / 2, error};
  }
  return best;
}

}  // namespace

void set_clock(const Library& library) noexcept {
  asks_us = call(library.register_clock, &our_time) == Result::ok;
  at_begin = asks_us ? Difference{} : measure(library);
}

int64_t to_monotonic(int64_t cupti_ns) noexcept { return cupti_ns - at_begin.ahead_ns; }

ClockState clock_state(const Library& library) noexcept {
  if (asks_us) return {};
  return {at_begin.error_ns, measure(library).ahead_ns - at_begin.ahead_ns};
}

}  // namespace sonde::inject::cupti
