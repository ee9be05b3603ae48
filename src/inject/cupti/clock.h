#pragma once

#include "inject/cupti/library.h"

/// CUPTI's times as CLOCK_MONOTONIC. Some versions ask us for the time; those of others, which is the machine's wall
/// clock, are converted by the difference to ours, which is measured when the recording begins and followed.
/// From any thread.
namespace sonde::inject::cupti {

/// Once, with CUPTI open and before anything is recorded. Anything but `ok`: CUPTI does not tell its time
/// (cuptiGetTimestamp), and nothing of it can be placed.
[[nodiscard]] Result set_clock() noexcept;

[[nodiscard]] int64_t to_monotonic(int64_t cupti_ns) noexcept;

struct ClockState {
  int64_t error_ns = 0;  ///< of the difference; 0 where CUPTI asks us
  int64_t drift_ns = 0;  ///< what the difference changed by since, when CUPTI last reported its time
};
/// Measures the difference again; where it has changed, times are converted by the new one from now on.
[[nodiscard]] ClockState follow_clock(const Library& library) noexcept;

}  // namespace sonde::inject::cupti
