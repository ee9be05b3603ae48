#pragma once

#include "analyses/stats_report.h"

namespace sonde {

/// What cuda_gpu_sum and cuda_api_gpu_sum share: kernels and memory operations by name, with `with_api` the API calls
/// too. Columns end in Category (CUDA_API, CUDA_KERNEL, MEMORY_OPER) and Operation.
[[nodiscard]] Table gpu_work_sum(const Trace& trace, const ReportArguments& arguments, bool with_api);

}  // namespace sonde
