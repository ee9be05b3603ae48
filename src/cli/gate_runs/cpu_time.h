#pragma once

#include <cstdint>

namespace sonde {

/// User and system time of all child processes of this one that ended and were waited for, with those that they waited
/// for in turn (getrusage(2), RUSAGE_CHILDREN: the sum of what wait4() gives of each). What it grows by while one child
/// runs and is waited for is that child's. A daemon, for which nobody waits, is missing.
[[nodiscard]] int64_t cpu_ns_of_ended_children();

}  // namespace sonde
