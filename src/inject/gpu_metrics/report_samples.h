#pragma once

#include "inject/cupti/library.h"
#include "wire/gpu_metrics_record.h"

/// What is reported to the recorder. From the thread that samples.
namespace sonde::inject::gpu_metrics {

void report(wire::SamplingState state, uint32_t device, const char* text = "", int32_t result = 0) noexcept;

/// That a function of CUPTI gave this instead of success: why it may be, as far as the number says it.
void report_failure(const cupti::Library& library, uint32_t device, const char* function,
                    cupti::Result result) noexcept;

void report_gpu(const wire::SampledGpuBody& gpu, const char* chip) noexcept;
void report_metric(uint32_t device, uint32_t place, const char* shown) noexcept;
void report_sample(const wire::SampleBody& sample, const double* values) noexcept;
void report_tally(const wire::SamplingTallyBody& tally) noexcept;

}  // namespace sonde::inject::gpu_metrics
