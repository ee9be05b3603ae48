#pragma once

#include "inject/cupti/library.h"
#include "inject/encode.h"
#include "wire/kernel_record.h"

/// What is reported to the recorder.
namespace sonde::inject::metrics {

void report(wire::MeasureState state, const char* text = "", int32_t result = 0) noexcept;

/// That a function of CUPTI or the driver gave this instead of success.
void report_failure(const char* function, int32_t result) noexcept;
/// Whether a function of CUPTI failed; reports it.
[[nodiscard]] bool failed(const char* function, cupti::Result result) noexcept;

void report_kernel(const wire::MeasuredKernelBody& kernel, const char* mangled, int64_t time) noexcept;

/// The values of a kernel: `places` are those of the metrics in the list of what was asked for.
void report_values(uint64_t kernel, const uint32_t* places, const double* values, uint32_t count) noexcept;

/// What the driver says of a GPU, once for each.
void report_device(int device, const char* chip) noexcept;

}  // namespace sonde::inject::metrics
