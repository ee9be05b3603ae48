#include "analyses/gpu_work_sum.h"
#include "analyses/kernel_label.h"

namespace sonde {
namespace {

Fields fields(const ReportArguments& arguments) {
  return kernel_label_fields(arguments) | Fields{Field::copies, Field::sets, Field::api};
}

Result<Table> run(const Trace& trace, const ReportArguments& arguments) { return gpu_work_sum(trace, arguments, true); }

}  // namespace

extern const StatsReport cuda_api_gpu_sum_report;
const StatsReport cuda_api_gpu_sum_report{
    "cuda_api_gpu_sum",
    "cuda_api_gpu_sum[:nvtx-name][:base|:mangled]",
    "CUDA Summary (API/Kernels/MemOps)",
    "API calls, kernels, copies and sets in one table. Host and GPU time add up in its total, though they overlap.",
    "CUDA trace",
    false,
    fields,
    run};

}  // namespace sonde
