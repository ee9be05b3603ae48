#include <algorithm>
#include <utility>

#include "analyses/calls/call_chain_text.h"
#include "analyses/calls/os_call_kind.h"
#include "analyses/gpus/idle_time.h"
#include "analyses/steps/run_extent.h"
#include "analyses/steps/thread_ids.h"
#include "analyses/tables/groups.h"
#include "analyses/tables/report_table.h"
#include "analyses/tables/time_summary.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport osrt_kind_sum_report;

namespace osrt_kind_sum {
namespace {

Fields fields(const ReportArguments&) { return kIdleFields | Fields{Field::syncs, Field::call_chains}; }

/// The calls of one kind on one thread.
struct KindOnThread {
  OsCallKind kind = OsCallKind::other;
  ThreadId thread = kNone;
  std::vector<Span> spans;
  TopChain chains;
  boost::unordered_flat_map<NameId, int64_t> names;  ///< nanoseconds of each

  [[nodiscard]] NameId longest_name() const {
    return std::ranges::max_element(names, {}, [](const auto& n) { return std::pair(n.second, n.first); })->first;
  }
};

struct Found {
  std::vector<KindOnThread> groups;
  std::vector<Distribution> figures;
};

Found find(const Trace& trace) {
  const Calls& calls = trace.os_calls;
  const auto kinds = os_call_kinds(trace);
  Groups<std::pair<uint8_t, ThreadId>> durations;
  Found found;
  Grouping<std::pair<uint8_t, ThreadId>> index;
  for (Row row = 0; row < row_count(calls); ++row) {
    // Without a duration are the recorder's own words among the calls.
    if (calls.call_class[row] != static_cast<uint8_t>(CallClass::os) || calls.end[row] <= calls.start[row]) continue;
    const std::pair key{static_cast<uint8_t>(kinds[row]), calls.thread[row]};
    const int64_t ns = calls.end[row] - calls.start[row];
    durations.add(key, ns);
    const uint32_t group = index.group_of(key);
    if (group == found.groups.size()) found.groups.push_back({kinds[row], calls.thread[row], {}, {}, {}});
    KindOnThread& g = found.groups[group];
    g.spans.emplace_back(calls.start[row], calls.end[row]);
    g.names[calls.name[row]] += ns;
    if (!calls.chain.empty()) g.chains.add(calls.chain[row], ns);
  }
  for (KindOnThread& g : found.groups) merge_spans(g.spans);
  found.figures = durations.distributions();
  return found;
}

/// When GPUs did nothing.
struct Idle {
  std::vector<std::vector<Span>> of_rank;    ///< at least one GPU of the rank
  std::vector<std::vector<Span>> of_thread;  ///< one whose next work came from the thread
};

Idle idle_of(const Trace& trace) {
  Idle idle{std::vector<std::vector<Span>>(trace.ranks.size()), std::vector<std::vector<Span>>(trace.threads.size())};
  const Gpus gpus = gpus_of(trace);
  for_each_idle_piece(trace, gpus, run_extent(trace), [&](const IdlePiece& piece) {
    idle.of_rank[gpus.gpus[piece.gpu].rank].emplace_back(piece.start_ns, piece.end_ns);
    if (piece.thread != kNone) idle.of_thread[piece.thread].emplace_back(piece.start_ns, piece.end_ns);
  });
  for (auto& spans : idle.of_rank) merge_spans(spans);
  for (auto& spans : idle.of_thread) merge_spans(spans);
  return idle;
}

void add_idle(Table& table, const Trace& trace, const Found& found) {
  const Idle idle = idle_of(trace);
  auto& any = table.integers("GPU Idle", Unit::nanoseconds);
  auto& waited = table.integers("GPU Waited", Unit::nanoseconds);
  for (const KindOnThread& g : found.groups) {
    const bool known = g.thread < trace.threads.size();
    const RankId rank = known ? trace.processes[trace.threads[g.thread].process].rank : 0;
    any.push_back(known ? overlap_ns(g.spans, idle.of_rank[rank]) : kUnknown);
    waited.push_back(known ? overlap_ns(g.spans, idle.of_thread[g.thread]) : kUnknown);
  }
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(osrt_kind_sum_report);
  const Found found = find(trace);
  auto& total = table.integers("Total Time", Unit::nanoseconds);
  auto& count = table.integers("Num Calls");
  auto& median = table.reals("Med", Unit::nanoseconds, 1);
  auto& most = table.integers("Max", Unit::nanoseconds);
  for (const Distribution& d : found.figures) {
    total.push_back(d.total);
    count.push_back(d.count);
    median.push_back(d.median);
    most.push_back(d.max);
  }
  add_idle(table, trace, found);
  auto& pid = table.integers("Pid");
  auto& tid = table.integers("Tid");
  auto& kind = table.texts("Kind");
  auto& name = table.texts("Name");
  auto& chain = table.texts("Back Trace");
  for (const KindOnThread& g : found.groups) {
    pid.push_back(pid_of(trace, g.thread));
    tid.push_back(tid_of(trace, g.thread));
    kind.push_back(info_of(g.kind).name);
    const NameId longest = g.longest_name();
    name.push_back(longest == kNone ? std::string_view() : trace.name(longest));
    const std::string text = g.chains.text(trace);
    chain.push_back(text.empty() ? std::string_view() : table.keep(text));
  }
  table.select_rows(order_by_total(found.figures, kind));
  return table;
}

}  // namespace
}  // namespace osrt_kind_sum

const StatsReport osrt_kind_sum_report{
    .name = "osrt_kind_sum",
    .usage = "osrt_kind_sum",
    .title = "OS Runtime Calls by Kind and Thread",
    .description =
        R"(OS runtime calls by kind (files, network, polling, locks...) and thread, including time spent waiting.

Total Time  time in all of them; a nested call counts in both
Num Calls, Med, Max  number of calls, and median and maximum of one call
GPU Idle    time in them in which at least one GPU of the same rank was idle; each nanosecond counts once
GPU Waited  part of GPU Idle in which the next work of such a GPU came from this thread
Pid, Tid    process and thread
Kind        file, network, poll, lock, sleep, join (threads, processes, signals), thread (starting, controlling them),
            device (ioctl), memory or other, by the function's name; reads and writes of sockets and pipes count as file
Name        the function with the most time
Back Trace  the call stack with the most time, innermost frame first, if call stacks were recorded

This report is specific to Sonde.)",
    .data = "OS Runtime (nsys: --trace=osrt)",
    .in_default_set = false,
    .fields = osrt_kind_sum::fields,
    .run = osrt_kind_sum::run,
};

}  // namespace sonde
