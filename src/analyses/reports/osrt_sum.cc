#include "analyses/calls/call_summary.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport osrt_sum_report;

namespace osrt_sum {
namespace {

Fields fields(const ReportArguments&) { return {Field::os_calls}; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(osrt_sum_report);
  add_call_summary(trace, trace.os_calls, CallClass::os, table);
  return table;
}

}  // namespace
}  // namespace osrt_sum

const StatsReport osrt_sum_report{
    .name = "osrt_sum",
    .usage = "osrt_sum",
    .title = "OS Runtime Summary",
    .description = R"(Time of the threads in OS runtime functions, including time spent waiting.

Time (%)      share of the sum of Total Time, not of the run's wall time
Total Time    sum of the durations of all calls
Num Calls     number of calls
Avg, Med, Min, Max, StdDev  of one call
Name          the function)",
    .data = "OS Runtime",
    .in_default_set = true,
    .fields = osrt_sum::fields,
    .run = osrt_sum::run,
};

}  // namespace sonde
