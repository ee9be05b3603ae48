#include "analyses/kernels/kernel_caption.h"
#include "analyses/kernels/launch_shape.h"
#include "analyses/tables/groups.h"
#include "analyses/tables/report_table.h"
#include "analyses/tables/time_summary.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport cuda_gpu_kern_gb_sum_report;

namespace cuda_gpu_kern_gb_sum {
namespace {

struct Launch {
  KernelCaption caption;
  Dim3 grid;
  Dim3 block;
  friend bool operator==(const Launch&, const Launch&) = default;
  friend size_t hash_value(const Launch& l) {
    size_t seed = hash_value(l.caption);
    boost::hash_combine(seed, l.grid);
    boost::hash_combine(seed, l.block);
    return seed;
  }
};

Fields fields(const ReportArguments& arguments) { return caption_fields(arguments) | Fields{Field::kernel_grid}; }

Groups<Launch> group_launches(const Trace& trace, const ReportArguments& arguments) {
  const Kernels& k = trace.kernels;
  Groups<Launch> groups;
  groups.reserve(row_count(k));
  for (Row row = 0; row < row_count(k); ++row) {
    groups.add({caption_of_kernel(trace, row, arguments), k.grid[row], k.block[row]}, k.end[row] - k.start[row]);
  }
  return groups;
}

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  const auto groups = group_launches(trace, arguments);
  const auto figures = groups.distributions();
  Table table = table_of(cuda_gpu_kern_gb_sum_report);
  add_time_summary(table, figures, "Instances");
  auto& grids = table.texts("GridXYZ");
  auto& blocks = table.texts("BlockXYZ");
  auto& names = table.texts("Name");
  for (const Launch& launch : groups.keys()) {
    grids.push_back(shape_cell(table, launch.grid));
    blocks.push_back(shape_cell(table, launch.block));
    names.push_back(caption_text(table, trace, launch.caption));
  }
  table.select_rows(order_by_total(figures, names));
  return table;
}

}  // namespace
}  // namespace cuda_gpu_kern_gb_sum

const StatsReport cuda_gpu_kern_gb_sum_report{
    .name = "cuda_gpu_kern_gb_sum",
    .usage = "cuda_gpu_kern_gb_sum[:nvtx-name][:base|:mangled]",
    .title = "CUDA GPU Kernel/Grid/Block Summary",
    .description = R"(GPU time of kernels by name and launch configuration.

Time (%)      share of the sum of Total Time, not of the run's wall time
Total Time    sum of their durations
Instances     number of instances
Avg, Med, Min, Max, StdDev  of the duration of one
GridXYZ, BlockXYZ  blocks per grid, threads per block
Name          the kernel)",
    .data = "CUDA kernel",
    .in_default_set = false,
    .fields = cuda_gpu_kern_gb_sum::fields,
    .run = cuda_gpu_kern_gb_sum::run,
};

}  // namespace sonde
