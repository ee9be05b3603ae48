#include "analyses/calls/api_groups.h"
#include "analyses/tables/report_table.h"
#include "analyses/tables/time_summary.h"

namespace sonde {

extern const StatsReport cuda_api_sum_report;

namespace cuda_api_sum {
namespace {

Fields fields(const ReportArguments&) { return {Field::api}; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  const auto groups = api_calls_by_name(trace);
  const auto figures = groups.distributions();
  Table table = table_of(cuda_api_sum_report);
  add_time_summary(table, figures, "Num Calls");
  table.texts("Name") = groups.keys();
  table.select_rows(order_by_total(figures, groups.keys()));
  return table;
}

}  // namespace
}  // namespace cuda_api_sum

const StatsReport cuda_api_sum_report{
    .name = "cuda_api_sum",
    .usage = "cuda_api_sum",
    .title = "CUDA API Summary",
    .description = R"(Host time in CUDA runtime and driver calls by name.

Time (%)      share of the sum of Total Time, not of the run's wall time
Total Time    sum of their durations
Num Calls     number of calls
Avg, Med, Min, Max, StdDev  of the duration of one
Name          the function)",
    .data = "CUDA trace",
    .in_default_set = true,
    .fields = cuda_api_sum::fields,
    .run = cuda_api_sum::run,
};

}  // namespace sonde
