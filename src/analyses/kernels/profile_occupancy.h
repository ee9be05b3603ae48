#pragma once

#include <optional>

#include "metrics/occupancy.h"
#include "trace/trace.h"

namespace sonde {

/// What a measured launch asked for, from the launch__* metrics of its report. Absent where registers or shared memory
/// were not collected.
[[nodiscard]] std::optional<LaunchShape> shape_of_profile(const Trace& trace, const KernelProfile& kernel);

/// The launch's shape with the limits of its GPU.
struct ProfiledLaunch {
  LaunchShape shape;
  SmLimits limits;
  Occupancy occupancy;  ///< by formula
};

/// Absent where the shape or the GPU's limits are not known.
[[nodiscard]] std::optional<ProfiledLaunch> occupancy_of_profile(const Trace& trace, const KernelProfile& kernel);

}  // namespace sonde
