#include "analyses/operation_names.h"
#include "analyses/stats_report.h"
#include "trace/columns.h"

namespace sonde {
namespace {

Fields fields(const ReportArguments&) { return {Field::api, Field::api_results, Field::launches}; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table;
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
    name.push_back(api_name(trace.name(calls.name[row])));
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

extern const StatsReport cuda_api_trace_report;
const StatsReport cuda_api_trace_report{
    "cuda_api_trace",
    "cuda_api_trace",
    "CUDA API Trace",
    "Every CUDA runtime and driver call in the order of their start, with result, correlation id and thread.",
    "CUDA trace",
    false,
    fields,
    run};

}  // namespace sonde
