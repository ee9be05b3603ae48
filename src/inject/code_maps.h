#pragma once

/// Where this process has code, so that the recorder can name the functions of its backtraces. The process tells it
/// itself: it may be gone before the recorder looks, and Linux tells others only where it permits (perf_event_open()).
namespace sonde::inject {

/// Tells what was mapped since this was last asked, as records of the calling thread. Where the loader has loaded and
/// unloaded nothing since, it looks at no more than that. Not within a signal handler.
void report_code() noexcept;

}  // namespace sonde::inject
