#include "analyses/calls/api_label.h"
#include "analyses/reports/shared_stats_report.h"
#include "analyses/tables/report_table.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport cuda_api_trace_report;

namespace cuda_api_trace {
namespace {

Fields fields(const ReportArguments&) { return {Field::api, Field::api_results, Field::launches}; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(cuda_api_trace_report);
  auto& start = table.integers("Start", Unit::nanoseconds);
  auto& duration = table.integers("Duration", Unit::nanoseconds);
  auto& name = table.texts("Name");
  auto& result = table.integers("Result");
  auto& correlation = table.integers("CorrID");
  auto& pid = table.integers("Pid");
  auto& tid = table.integers("Tid");
  auto& priority = table.integers("T-Pri");
  auto& thread_name = table.texts("Thread Name");
  const Calls& calls = trace.api;
  for (Row row = 0; row < row_count(calls); ++row) {
    const Thread* thread = calls.thread[row] == kNone ? nullptr : &trace.threads[calls.thread[row]];
    start.push_back(calls.start[row]);
    duration.push_back(calls.end[row] - calls.start[row]);
    name.push_back(api_label(trace.name(calls.name[row])));
    result.push_back(calls.result[row]);
    correlation.push_back(calls.correlation[row]);
    pid.push_back(thread == nullptr ? kUnknown : trace.processes[thread->process].pid);
    tid.push_back(thread == nullptr ? kUnknown : thread->tid);
    priority.push_back(thread == nullptr || !thread->priority ? kUnknown : *thread->priority);
    thread_name.push_back(thread == nullptr ? std::string_view() : trace.name(thread->name));
  }
  return table;
}

}  // namespace
}  // namespace cuda_api_trace

const StatsReport cuda_api_trace_report{
    .name = "cuda_api_trace",
    .usage = "cuda_api_trace",
    .title = "CUDA API Trace",
    .description = R"(Every CUDA runtime and driver call, in order of start.

Start, Duration  on the host thread
Name          the function
Result        return value
CorrID        correlation ID; the call launched the GPU work with the same ID
Pid, Tid, T-Pri, Thread Name  the thread)",
    .data = "CUDA trace",
    .in_default_set = false,
    .fields = cuda_api_trace::fields,
    .run = cuda_api_trace::run,
};

}  // namespace sonde
