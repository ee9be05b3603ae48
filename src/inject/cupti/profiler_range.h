#pragma once

#include "inject/cupti/library.h"

/// cudaProfilerStart() and cudaProfilerStop(), and the driver's two, as the begin and end of the recording.
namespace sonde::inject::cupti {

/// Whether the recording waits for them: then CUPTI must be there before it begins.
[[nodiscard]] bool needs_profiler_range() noexcept;

/// After subscribe(). Where CUPTI refuses it, that is told.
void watch_profiler_range(const Library& library) noexcept;

}  // namespace sonde::inject::cupti
