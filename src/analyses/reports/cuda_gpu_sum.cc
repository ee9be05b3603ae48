#include "analyses/kernels/kernel_caption.h"
#include "analyses/reports/shared_gpu_work_sum.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport cuda_gpu_sum_report;

namespace cuda_gpu_sum {
namespace {

Fields fields(const ReportArguments& arguments) {
  return caption_fields(arguments) | Fields{Field::copies, Field::sets};
}

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  Table table = table_of(cuda_gpu_sum_report);
  add_gpu_work_summary(trace, arguments, ApiCalls::left_out, table);
  return table;
}

}  // namespace
}  // namespace cuda_gpu_sum

const StatsReport cuda_gpu_sum_report{
    .name = "cuda_gpu_sum",
    .usage = "cuda_gpu_sum[:nvtx-name][:base|:mangled]",
    .title = "CUDA GPU Summary (Kernels/MemOps)",
    .description = R"(GPU time of kernels, copies and memsets in one table.

Time (%)      share of the sum of Total Time, not of the run's wall time
Total Time    sum of their durations
Instances     number of instances
Avg, Med, Min, Max, StdDev  of the duration of one
Category      CUDA_KERNEL or MEMORY_OPER
Operation     name of the kernel or memory operation)",
    .data = "CUDA trace",
    .in_default_set = false,
    .fields = cuda_gpu_sum::fields,
    .run = cuda_gpu_sum::run,
};

}  // namespace sonde
