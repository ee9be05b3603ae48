#pragma once

/// What runs when the program begins to exit. CUPTI and its helpers destroy what they hold when the program exits, the
/// library that was loaded last first. A thread of ours that is in them then ends the program by SIGABRT (seen on an
/// H100 with --gpu-metrics-devices). So what uses them ends before.
namespace sonde::inject {

/// Has a function called once when the program begins to exit. At most 4.
void end_at_exit(void (*end)()) noexcept;

/// To be called when libraries may have been loaded: the functions then run before those are destroyed.
void end_before_libraries() noexcept;

}  // namespace sonde::inject
