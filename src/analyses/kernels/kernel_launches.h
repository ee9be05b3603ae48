#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace sonde {

/// The phases of a kernel from its launching call to its end. They can overlap.
struct LaunchPhases {
  int64_t api_start = 0;
  int64_t api_ns = 0;
  int64_t queue_ns = kUnknown;  ///< from the call's end to the kernel's start, where the kernel starts later
  int64_t kernel_ns = 0;
  int64_t total_ns = 0;  ///< from the call's start to the later of the call's and the kernel's end
};

/// Of a kernel with a known launch.
[[nodiscard]] LaunchPhases phases_of_launch(const Trace& trace, Row kernel);

}  // namespace sonde
