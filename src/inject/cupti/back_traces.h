#pragma once

#include "inject/cupti/library.h"

/// Back traces of CUDA calls: `--cudabacktrace`. Taken on the thread that makes the call, when it comes back, of those
/// that took as long as was asked for.
namespace sonde::inject::cupti {

/// Before subscribe().
void watch_for_back_traces(const Library& library) noexcept;

/// While the recording runs.
void set_back_traces(const Library& library, bool on) noexcept;

}  // namespace sonde::inject::cupti
