#include "analyses/calls/call_summary.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport syscall_sum_report;

namespace syscall_sum {
namespace {

Fields fields(const ReportArguments&) { return {Field::os_calls}; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(syscall_sum_report);
  add_call_summary(trace, trace.os_calls, CallClass::syscall, table);
  return table;
}

}  // namespace
}  // namespace syscall_sum

const StatsReport syscall_sum_report{
    .name = "syscall_sum",
    .usage = "syscall_sum",
    .title = "Syscall Summary",
    .description = R"(Time of the threads in system calls, including time spent waiting.

Time (%)      share of the sum of Total Time, not of the run's wall time
Total Time    sum of the durations of all calls
Num Calls     number of calls
Avg, Med, Min, Max, StdDev  of one call
Name          the function)",
    .data = "syscall",
    .in_default_set = true,
    .fields = syscall_sum::fields,
    .run = syscall_sum::run,
};

}  // namespace sonde
