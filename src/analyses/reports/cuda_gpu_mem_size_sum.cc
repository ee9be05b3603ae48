#include "analyses/gpus/memory_operations.h"
#include "analyses/tables/groups.h"
#include "analyses/tables/report_table.h"
#include "analyses/tables/time_summary.h"

namespace sonde {

extern const StatsReport cuda_gpu_mem_size_sum_report;

namespace cuda_gpu_mem_size_sum {
namespace {

Fields fields(const ReportArguments&) { return {Field::copies, Field::sets}; }

/// A column of one figure of each group, in MB.
template <typename Figure>
void add_megabytes(Table& table, const char* name, std::span<const Distribution> groups,
                   Figure Distribution::* figure) {
  constexpr double kMegabyte = 1e6;
  auto& column = table.reals(name, Unit::megabytes, 3);
  for (const Distribution& d : groups) column.push_back(static_cast<double>(d.*figure) / kMegabyte);
}

void add_size_summary(Table& table, std::span<const Distribution> groups) {
  add_megabytes(table, "Total", groups, &Distribution::total);
  auto& count = table.integers("Count");
  for (const Distribution& d : groups) count.push_back(d.count);
  add_megabytes(table, "Avg", groups, &Distribution::mean);
  add_megabytes(table, "Med", groups, &Distribution::median);
  add_megabytes(table, "Min", groups, &Distribution::min);
  add_megabytes(table, "Max", groups, &Distribution::max);
  add_megabytes(table, "StdDev", groups, &Distribution::stddev);
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Groups<std::string_view> groups;
  each_memory_operation(trace, [&](std::string_view operation, const auto& ops, Row row) {
    if (ops.bytes[row] != kUnknown) groups.add(operation, ops.bytes[row]);
  });
  const auto figures = groups.distributions();
  Table table = table_of(cuda_gpu_mem_size_sum_report);
  add_size_summary(table, figures);
  table.texts("Operation") = groups.keys();
  table.select_rows(order_by_total(figures, groups.keys()));
  return table;
}

}  // namespace
}  // namespace cuda_gpu_mem_size_sum

const StatsReport cuda_gpu_mem_size_sum_report{
    .name = "cuda_gpu_mem_size_sum",
    .usage = "cuda_gpu_mem_size_sum",
    .title = "CUDA GPU MemOps Summary (by Size)",
    .description = R"(Bytes moved by copies and memsets, by direction. 1 MB is 10^6 bytes.

Total         sum of their bytes
Count         number of operations
Avg, Med, Min, Max, StdDev  of the size of one
Operation     the operation)",
    .data = "CUDA GPU memory",
    .in_default_set = true,
    .fields = cuda_gpu_mem_size_sum::fields,
    .run = cuda_gpu_mem_size_sum::run,
};

}  // namespace sonde
