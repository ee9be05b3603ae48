#include "analyses/gpus/memory_operations.h"
#include "analyses/tables/groups.h"
#include "analyses/tables/report_table.h"
#include "analyses/tables/time_summary.h"

namespace sonde {

extern const StatsReport cuda_gpu_mem_time_sum_report;

namespace cuda_gpu_mem_time_sum {
namespace {

Fields fields(const ReportArguments&) { return {Field::copies, Field::sets}; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Groups<std::string_view> groups;
  each_memory_operation(trace, [&](std::string_view operation, const auto& ops, Row row) {
    groups.add(operation, ops.end[row] - ops.start[row]);
  });
  const auto figures = groups.distributions();
  Table table = table_of(cuda_gpu_mem_time_sum_report);
  add_time_summary(table, figures, "Count");
  table.texts("Operation") = groups.keys();
  table.select_rows(order_by_total(figures, groups.keys()));
  return table;
}

}  // namespace
}  // namespace cuda_gpu_mem_time_sum

const StatsReport cuda_gpu_mem_time_sum_report{
    .name = "cuda_gpu_mem_time_sum",
    .usage = "cuda_gpu_mem_time_sum",
    .title = "CUDA GPU MemOps Summary (by Time)",
    .description = R"(GPU time of copies and memsets, by direction.

Time (%)      share of the sum of Total Time, not of the run's wall time
Total Time    sum of their durations
Count         number of operations
Avg, Med, Min, Max, StdDev  of the duration of one
Operation     the operation)",
    .data = "CUDA GPU memory",
    .in_default_set = true,
    .fields = cuda_gpu_mem_time_sum::fields,
    .run = cuda_gpu_mem_time_sum::run,
};

}  // namespace sonde
