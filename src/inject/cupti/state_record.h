#pragma once

#include "inject/cupti/library.h"
#include "wire/cuda_record.h"

namespace sonde::inject::cupti {

/// Tells the recorder how this process stands with CUPTI.
void report_state(wire::CudaState state, uint32_t version, const char* text) noexcept;

/// The same of a call that failed: "cuptiActivityEnable(MEMSET): <CUPTI's own words>".
void report_failure(wire::CudaState state, const Library& library, const char* call, const char* of,
                    Result result) noexcept;

}  // namespace sonde::inject::cupti
