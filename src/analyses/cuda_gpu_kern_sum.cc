#include "analyses/kernel_label.h"
#include "analyses/sum_table.h"
#include "trace/columns.h"

namespace sonde {
namespace {

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  const Kernels& k = trace.kernels;
  Groups<KernelName> groups;
  groups.reserve(row_count(k));
  for (Row row = 0; row < row_count(k); ++row)
    groups.add(kernel_name(trace, row, arguments), k.end[row] - k.start[row]);
  Table table;
  SumLabel names{"Name", {}};
  for (const KernelName& name : groups.keys()) names.texts.push_back(text_of(trace, name, table));
  fill_time_sum(table, groups.distributions(), "Instances", {std::move(names)});
  return table;
}

}  // namespace

extern const StatsReport cuda_gpu_kern_sum_report;
const StatsReport cuda_gpu_kern_sum_report{
    "cuda_gpu_kern_sum",
    "cuda_gpu_kern_sum[:nvtx-name][:base|:mangled]",
    "CUDA GPU Kernel Summary",
    "Kernels by name: share of all kernel time, total, number, and the distribution of their durations.",
    "CUDA kernel",
    true,
    kernel_label_fields,
    run};

}  // namespace sonde
