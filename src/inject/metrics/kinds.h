#pragma once

#include <cstdint>

#include "inject/metrics/launch.h"
#include "inject/metrics/steps.h"

/// Which launches are alike, and what of each kind was measured.
namespace sonde::inject::metrics {

struct LaunchKind {
  uint64_t key = 0;  ///< 0: free
  uint32_t measured = 0;
  Work awaits = Work::none;  ///< what the next launch of the kind is taken for, in place of the one before
  uint64_t kernel = 0;       ///< that one
  uint32_t round = 0;        ///< in which it was measured
};

/// Of this launch's device, function, shape and place in the ranges. Null where there are more kinds
/// than can be distinguished; a kind stays where it is. From one thread at a time.
[[nodiscard]] LaunchKind* kind_of(const Launch& launch, uint32_t device) noexcept;

}  // namespace sonde::inject::metrics
