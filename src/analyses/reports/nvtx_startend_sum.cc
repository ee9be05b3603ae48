#include "analyses/ranges/range_summary.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport nvtx_startend_sum_report;

namespace nvtx_startend_sum {
namespace {

Fields fields(const ReportArguments&) { return {Field::ranges}; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(nvtx_startend_sum_report);
  add_range_summary(trace, RangeChoice::start_end, table);
  return table;
}

}  // namespace
}  // namespace nvtx_startend_sum

const StatsReport nvtx_startend_sum_report{
    .name = "nvtx_startend_sum",
    .usage = "nvtx_startend_sum",
    .title = "NVTX Start/End Range Summary",
    .description = R"(Host time of NVTX start/end ranges, by name. They may end on another thread.

Time (%)      share of the sum of Total Time, not of the run's wall time
Total Time    sum of the durations of all instances of the range
Instances     number of instances
Avg, Med, Min, Max, StdDev  of one instance
Range         domain and text, "domain:text"; ":text" in the default domain

Ranges that were still open when the recording ended are omitted.)",
    .data = "NV Tools Extension (NVTX)",
    .in_default_set = false,
    .fields = nvtx_startend_sum::fields,
    .run = nvtx_startend_sum::run,
};

}  // namespace sonde
