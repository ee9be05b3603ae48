#include "analyses/ranges/range_summary.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport nvtx_pushpop_sum_report;

namespace nvtx_pushpop_sum {
namespace {

Fields fields(const ReportArguments&) { return {Field::ranges}; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(nvtx_pushpop_sum_report);
  add_range_summary(trace, RangeChoice::push_pop, table);
  return table;
}

}  // namespace
}  // namespace nvtx_pushpop_sum

const StatsReport nvtx_pushpop_sum_report{
    .name = "nvtx_pushpop_sum",
    .usage = "nvtx_pushpop_sum",
    .title = "NVTX Push/Pop Range Summary",
    .description = R"(Host time of NVTX push/pop ranges, by name.

Time (%)      share of the sum of Total Time, not of the run's wall time
Total Time    sum of the durations of all instances of the range
Instances     number of instances
Avg, Med, Min, Max, StdDev  of one instance
Range         domain and text, "domain:text"; ":text" in the default domain

Ranges that were still open when the recording ended are omitted.)",
    .data = "NV Tools Extension (NVTX)",
    .in_default_set = false,
    .fields = nvtx_pushpop_sum::fields,
    .run = nvtx_pushpop_sum::run,
};

}  // namespace sonde
