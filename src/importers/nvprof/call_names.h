#pragma once

#include <cstdint>
#include <string>

/// Names of the calls that CUPTI numbers, as Nsight Systems spells them: "cudaLaunchKernel_v7000".
namespace sonde::nvprof {

/// By CUPTI's callback ID. A number that CUPTI of CUDA 13.0 does not have is shown as one.
[[nodiscard]] std::string runtime_call_name(int64_t callback_id);
[[nodiscard]] std::string driver_call_name(int64_t callback_id);

}  // namespace sonde::nvprof
