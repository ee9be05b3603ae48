#include <algorithm>
#include <numeric>

#include "analyses/calls/api_label.h"
#include "analyses/steps/thread_ids.h"
#include "analyses/steps/thread_times.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport thread_sum_report;

namespace thread_sum {
namespace {

Fields fields(const ReportArguments&) { return kThreadTimeFields; }

using Times = std::vector<ThreadTime>;

/// Threads of which anything is known, those that ran or waited longest first.
std::vector<ThreadId> listed(const Times& times) {
  std::vector<ThreadId> threads;
  for (ThreadId t = 0; t < times.size(); ++t) {
    if (times[t].source != ThreadTimeSource::none) threads.push_back(t);
  }
  const auto key = [&](ThreadId t) {
    return std::tuple(-times[t].kernels, -std::max<int64_t>(times[t].running_ns, 0));
  };
  std::ranges::stable_sort(threads, {}, key);
  return threads;
}

void add_times(Table& table, const Trace& trace, const std::vector<ThreadId>& threads, const Times& times) {
  auto& share = table.reals("Running", Unit::percent, 1);
  auto& span = table.integers("Span", Unit::nanoseconds);
  auto& running = table.integers("Running", Unit::nanoseconds);
  auto& ready = table.integers("Ready", Unit::nanoseconds);
  auto& blocked = table.integers("Blocked", Unit::nanoseconds);
  auto& blocked_in = table.integers("Top Wait Time", Unit::nanoseconds);
  auto& name = table.texts("Top Wait");
  auto& source = table.texts("Source");
  for (const ThreadId thread : threads) {
    const ThreadTime& t = times[thread];
    const int64_t ns = t.span.second - t.span.first;
    const bool known = t.running_ns != kUnknown && ns > 0;
    share.push_back(known ? 100 * static_cast<double>(t.running_ns) / static_cast<double>(ns) : kAbsent);
    span.push_back(ns);
    running.push_back(t.running_ns);
    ready.push_back(t.ready_ns);
    blocked.push_back(t.blocked_ns);
    blocked_in.push_back(t.blocked_in == kNone ? kUnknown : t.blocked_in_ns);
    name.push_back(t.blocked_in == kNone ? std::string_view() : api_label(trace.name(t.blocked_in)));
    source.emplace_back(t.source == ThreadTimeSource::scheduling ? "scheduling" : "calls");
  }
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(thread_sum_report);
  const Times times = thread_times(trace);
  const std::vector<ThreadId> threads = listed(times);
  add_times(table, trace, threads, times);
  auto& switches = table.integers("Switches");
  auto& migrations = table.integers("Migrations");
  auto& cores = table.integers("Cores");
  auto& kernels = table.integers("Kernels");
  auto& pid = table.integers("Pid");
  auto& tid = table.integers("Tid");
  auto& thread_name = table.texts("Thread");
  for (const ThreadId thread : threads) {
    const ThreadTime& t = times[thread];
    const NameId name = trace.threads[thread].name;
    switches.push_back(t.switches);
    migrations.push_back(t.migrations);
    cores.push_back(t.cores);
    kernels.push_back(t.kernels);
    pid.push_back(pid_of(trace, thread));
    tid.push_back(tid_of(trace, thread));
    thread_name.push_back(name == kNone ? std::string_view() : trace.name(name));
  }
  return table;
}

}  // namespace
}  // namespace thread_sum

const StatsReport thread_sum_report{
    .name = "thread_sum",
    .usage = "thread_sum",
    .title = "Host Thread Summary",
    .description =
        R"(Time of each host thread by state (running, ready or blocked), and the call it was blocked in longest. Threads that
launch kernels come first.

Running (%)      share of Span
Span             from the first to the last of its context switches, calls and ranges
Running          on a core; - if context switches were not recorded
Ready            runnable but not on a core; - if switches have no thread states (then included in Blocked)
Blocked          otherwise not on a core. Without context switches: in waiting calls, of the OS runtime (files, network,
                 polling, locks, sleep, other threads) or of CUDA (waiting for the GPU)
Top Wait         name of the innermost traced calls in which it was blocked longest; Top Wait Time is that time
Source           scheduling: context switches (nsys: --cpuctxsw=process-tree), calls: traced calls only (--trace=osrt,cuda)
Switches         number of times it was switched in
Migrations       number of times it continued on another core
Cores            number of cores it ran on
Kernels          number of kernels it launched
Pid, Tid, Thread  process, thread and its name

This report is specific to Sonde.)",
    .data = "thread (nsys: --cpuctxsw=process-tree or --trace=osrt)",
    .in_default_set = false,
    .fields = thread_sum::fields,
    .run = thread_sum::run,
};

}  // namespace sonde
