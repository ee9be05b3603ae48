#include "analyses/gpu_work_sum.h"
#include "analyses/kernel_label.h"

namespace sonde {
namespace {

Fields fields(const ReportArguments& arguments) {
  return kernel_label_fields(arguments) | Fields{Field::copies, Field::sets};
}

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  return gpu_work_sum(trace, arguments, false);
}

}  // namespace

extern const StatsReport cuda_gpu_sum_report;
const StatsReport cuda_gpu_sum_report{
    "cuda_gpu_sum",
    "cuda_gpu_sum[:nvtx-name][:base|:mangled]",
    "CUDA GPU Summary (Kernels/MemOps)",
    "Kernels, copies and sets in one table: share of their time, total, number, and the distribution.",
    "CUDA trace",
    false,
    fields,
    run};

}  // namespace sonde
