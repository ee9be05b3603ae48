#include "analyses/memory_operations.h"
#include "analyses/stats_report.h"
#include "analyses/sum_table.h"

namespace sonde {
namespace {

Fields fields(const ReportArguments&) { return {Field::copies, Field::sets}; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Groups<std::string_view> groups;
  each_memory_operation(trace, [&](std::string_view operation, const auto& ops, Row row) {
    groups.add(operation, ops.end[row] - ops.start[row]);
  });
  Table table;
  fill_time_sum(table, groups.distributions(), "Count", {{"Operation", groups.keys()}});
  return table;
}

}  // namespace

extern const StatsReport cuda_gpu_mem_time_sum_report;
const StatsReport cuda_gpu_mem_time_sum_report{
    "cuda_gpu_mem_time_sum",
    "cuda_gpu_mem_time_sum",
    "CUDA GPU MemOps Summary (by Time)",
    "Copies and sets by direction: share of their time, total, number, and the distribution of their durations.",
    "CUDA GPU memory",
    true,
    fields,
    run};

}  // namespace sonde
