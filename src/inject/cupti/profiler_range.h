#pragma once

#include "inject/cupti/library.h"

/// cudaProfilerStart() and cudaProfilerStop(), and the driver's two, as the begin and end of the recording.
namespace sonde::inject::cupti {

/// Whether a call is one of the four: it stays watched, whoever else watched it.
[[nodiscard]] bool is_profiler_range(Domain domain, uint32_t call) noexcept;

/// After subscribe(). Where CUPTI refuses it, that is reported.
void watch_profiler_range(const Library& library) noexcept;

}  // namespace sonde::inject::cupti
