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
        R"(What each host thread did: running, ready or blocked, and in which call; threads that launch kernels first.

Running (%)      share of Span
Span             from the first to the last of its context switches, calls and ranges
Running          on a core; - where context switches were not recorded
Ready            off the cores although it could have run; - where switches have no thread states (then part of Blocked)
Blocked          off the cores otherwise, until it is back on one; without context switches, in calls that wait: of the OS
                 runtime for files, network, polling, locks, sleep or other threads, of CUDA for the GPU
Top Wait         name of the innermost traced calls in which it was blocked longest; Top Wait Time: for how long
Source           scheduling: context switches (nsys: --cpuctxsw=process-tree), calls: traced calls only (--trace=osrt,cuda)
Switches         times that it was put on a core
Migrations       times that it came back on another core
Cores            on which it was seen
Kernels          launched by it
Pid, Tid, Thread  process, thread and its name

A report of Sonde's own.)",
    .data = "thread (nsys: --cpuctxsw=process-tree or --trace=osrt)",
    .in_default_set = false,
    .fields = thread_sum::fields,
    .run = thread_sum::run,
};

}  // namespace sonde
