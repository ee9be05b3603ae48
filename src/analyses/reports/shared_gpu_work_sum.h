#pragma once

#include "analyses/reports/shared_stats_report.h"

namespace sonde {

enum class ApiCalls { left_out, listed };

/// What cuda_gpu_sum and cuda_api_gpu_sum share: kernels and memory operations by name, and API calls where listed, in
/// one table that ends in Category and Operation; largest total first.
void add_gpu_work_summary(const Trace& trace, const ReportArguments& arguments, ApiCalls api_calls, Table& table);

}  // namespace sonde
