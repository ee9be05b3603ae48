#pragma once

#include <cstdint>

#include "inject/cupti/library.h"

/// Counters of single kernels, as the recorder asks for them.
namespace sonde::inject::metrics {

/// When CUDA is initialized, once a process: makes ready to measure, or tells why it cannot. Nothing where nothing is
/// to be measured. Opens CUPTI, and subscribes to it.
void attach_metrics() noexcept;

}  // namespace sonde::inject::metrics
