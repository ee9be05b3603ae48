#include "analyses/ranges/range_summary.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport nvtx_sum_report;

namespace nvtx_sum {
namespace {

Fields fields(const ReportArguments&) { return {Field::ranges}; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(nvtx_sum_report);
  add_range_summary(trace, RangeChoice::all, table);
  return table;
}

}  // namespace
}  // namespace nvtx_sum

const StatsReport nvtx_sum_report{
    .name = "nvtx_sum",
    .usage = "nvtx_sum",
    .title = "NVTX Range Summary",
    .description = R"(Host time of NVTX ranges of both styles, by name.

Time (%)      share of the sum of Total Time, not of the run's wall time
Total Time    sum of the durations of all instances of the range
Instances     number of instances
Avg, Med, Min, Max, StdDev  of one instance
Style         PushPop or StartEnd
Range         domain and text, "domain:text"; ":text" in the default domain

Ranges that were still open when the recording ended are omitted.)",
    .data = "NV Tools Extension (NVTX)",
    .in_default_set = true,
    .fields = nvtx_sum::fields,
    .run = nvtx_sum::run,
};

}  // namespace sonde
