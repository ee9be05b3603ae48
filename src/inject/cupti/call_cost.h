#pragma once

#include <cstdint>

#include "inject/cupti/library.h"

namespace sonde::inject::cupti {

/// What CUPTI takes to record one CUDA call of a thread, in nanoseconds: measured on this one with a call that does
/// nothing, in the shortest of some rounds. The same call without a record is subtracted where CUPTI can leave it out
/// (12.5 and later). Takes about a millisecond; for when the driver is ready and its calls are recorded.
[[nodiscard]] int64_t measure_call_cost(const Library& library) noexcept;

}  // namespace sonde::inject::cupti
