#include "analyses/memory_operations.h"
#include "analyses/stats_report.h"
#include "analyses/sum_table.h"

namespace sonde {
namespace {

Fields fields(const ReportArguments&) { return {Field::copies, Field::sets}; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Groups<std::string_view> groups;
  each_memory_operation(trace, [&](std::string_view operation, const auto& ops, Row row) {
    if (ops.bytes[row] != kUnknown) groups.add(operation, ops.bytes[row]);
  });
  Table table;
  fill_size_sum(table, groups.distributions(), {{"Operation", groups.keys()}});
  return table;
}

}  // namespace

extern const StatsReport cuda_gpu_mem_size_sum_report;
const StatsReport cuda_gpu_mem_size_sum_report{"cuda_gpu_mem_size_sum",
                                               "cuda_gpu_mem_size_sum",
                                               "CUDA GPU MemOps Summary (by Size)",
                                               "Copies and sets by direction: how much they moved, number, and the "
                                               "distribution of their sizes. 1 MB is 10^6 bytes.",
                                               "CUDA GPU memory",
                                               true,
                                               fields,
                                               run};

}  // namespace sonde
