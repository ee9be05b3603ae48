#pragma once

#include <string_view>

#include "trace/trace.h"

namespace sonde {

/// Section of what only a timeline tells: how many launches there were, and their times.
inline constexpr std::string_view kTimelineSection = "Timeline";

/// The kernels of a timeline in the form of a kernel profiler's report, one for the launches that share name, grid,
/// block, registers and shared memory, under the id that kernel_launches() gives them: what was recorded, and
/// theoretical occupancy and waves by formula (docs/profiles/occupancy.md). Nothing that takes counters is there.
[[nodiscard]] Trace launch_profiles_of(const Trace& timeline);

}  // namespace sonde
