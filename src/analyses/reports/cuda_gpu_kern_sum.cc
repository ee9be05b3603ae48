#include "analyses/kernels/kernel_caption.h"
#include "analyses/tables/groups.h"
#include "analyses/tables/report_table.h"
#include "analyses/tables/time_summary.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport cuda_gpu_kern_sum_report;

namespace cuda_gpu_kern_sum {
namespace {

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  const Kernels& k = trace.kernels;
  Groups<KernelCaption> groups;
  groups.reserve(row_count(k));
  for (Row row = 0; row < row_count(k); ++row) {
    groups.add(caption_of_kernel(trace, row, arguments), k.end[row] - k.start[row]);
  }
  Table table = table_of(cuda_gpu_kern_sum_report);
  const auto figures = groups.distributions();
  add_time_summary(table, figures, "Instances");
  auto& names = table.texts("Name");
  for (const KernelCaption& caption : groups.keys()) names.push_back(caption_text(table, trace, caption));
  table.select_rows(order_by_total(figures, names));
  return table;
}

}  // namespace
}  // namespace cuda_gpu_kern_sum

const StatsReport cuda_gpu_kern_sum_report{
    .name = "cuda_gpu_kern_sum",
    .usage = "cuda_gpu_kern_sum[:nvtx-name][:base|:mangled]",
    .title = "CUDA GPU Kernel Summary",
    .description = R"(GPU time of kernels by name.

Time (%)      share of the sum of Total Time, not of the run's wall time
Total Time    sum of their durations
Instances     number of instances
Avg, Med, Min, Max, StdDev  of the duration of one
Name          the kernel; :base without arguments, :mangled as mangled name, :nvtx-name prefixed by its range)",
    .data = "CUDA kernel",
    .in_default_set = true,
    .fields = caption_fields,
    .run = cuda_gpu_kern_sum::run,
};

}  // namespace sonde
