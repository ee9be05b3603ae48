#pragma once

#include "inject/cupti/library.h"
#include "wire/gpu_metrics_record.h"

/// What is told to the recorder. From the thread that samples.
namespace sonde::inject::gpu_metrics {

void tell(wire::SamplingState state, uint32_t device, const char* text = "", int32_t result = 0) noexcept;

/// That a function of CUPTI gave this instead of success: why it may be, as far as the number says it.
void tell_failure(const cupti::Library& library, uint32_t device, const char* function, cupti::Result result) noexcept;

void tell_gpu(const wire::SampledGpuBody& gpu, const char* chip) noexcept;
void tell_metric(uint32_t device, uint32_t place, const char* shown) noexcept;
void tell_sample(const wire::SampleBody& sample, const double* values) noexcept;
void tell_clock(const wire::GpuClockBody& clock) noexcept;
void tell_tally(const wire::SamplingTallyBody& tally) noexcept;

}  // namespace sonde::inject::gpu_metrics
