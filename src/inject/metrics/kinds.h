#pragma once

#include <cstdint>

#include "inject/metrics/launch.h"

/// Which launches are alike, and what of each kind was measured.
namespace sonde::inject::metrics {

struct LaunchKind {
  uint64_t key = 0;  ///< 0: free
  uint32_t measured = 0;
  bool awaits_samples = false;  ///< its counters are known; the next launch of the kind is sampled in their place
  uint64_t kernel = 0;          ///< to which those samples belong
};

/// Of this launch's function, shape and place in the ranges. Null where there are more kinds than can be told apart; a
/// kind stays where it is. From one thread at a time.
[[nodiscard]] LaunchKind* kind_of(const Launch& launch) noexcept;

}  // namespace sonde::inject::metrics
