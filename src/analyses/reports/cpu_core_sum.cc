#include <algorithm>
#include <limits>
#include <map>

#include "analyses/steps/thread_ids.h"
#include "analyses/steps/thread_times.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport cpu_core_sum_report;

namespace cpu_core_sum {
namespace {

Fields fields(const ReportArguments&) { return kThreadTimeFields; }

/// What ran on one core.
struct Core {
  int64_t running_ns = 0;
  int64_t switches = 0;
  std::map<ThreadId, int64_t> threads;  ///< nanoseconds of each

  [[nodiscard]] std::pair<ThreadId, int64_t> busiest() const {
    return *std::ranges::max_element(threads, {}, [](const auto& t) { return t.second; });
  }
};

using Cores = std::map<std::pair<RankId, int32_t>, Core>;

/// All cores, and for each rank the first start and last end of what ran on any: clocks of ranks may differ.
struct Balance {
  Cores cores;
  std::vector<Span> span_of_rank;
};

Balance balance_of(const Trace& trace) {
  constexpr Span kNothing{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  Balance balance{{}, std::vector<Span>(trace.ranks.size(), kNothing)};
  for (const OnCore& piece : times_on_cores(trace)) {
    const RankId rank = trace.processes[trace.threads[piece.thread].process].rank;
    const int64_t ns = piece.span.second - piece.span.first;
    Core& core = balance.cores[{rank, piece.cpu}];
    core.running_ns += ns;
    core.switches += static_cast<int64_t>(piece.switched);
    core.threads[piece.thread] += ns;
    Span& span = balance.span_of_rank[rank];
    span.first = std::min(span.first, piece.span.first);
    span.second = std::max(span.second, piece.span.second);
  }
  return balance;
}

double percent(int64_t part, int64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : kAbsent;
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(cpu_core_sum_report);
  const Balance balance = balance_of(trace);
  auto& share = table.reals("Running", Unit::percent, 1);
  auto& running = table.integers("Running", Unit::nanoseconds);
  auto& switches = table.integers("Switches");
  auto& threads = table.integers("Threads");
  auto& busiest = table.reals("Busiest", Unit::percent, 1);
  auto& tid = table.integers("Busiest Tid");
  auto* rank = trace.ranks.size() > 1 ? &table.integers("Rank") : nullptr;
  auto& number = table.integers("Core");
  for (const auto& [key, core] : balance.cores) {
    const auto [thread, ns] = core.busiest();
    const Span& span = balance.span_of_rank[key.first];
    share.push_back(percent(core.running_ns, span.second - span.first));
    running.push_back(core.running_ns);
    switches.push_back(core.switches);
    threads.push_back(static_cast<int64_t>(core.threads.size()));
    busiest.push_back(percent(ns, core.running_ns));
    tid.push_back(tid_of(trace, thread));
    if (rank != nullptr) rank->push_back(trace.ranks[key.first].rank.value_or(static_cast<int>(key.first)));
    number.push_back(key.second == kUnknown32 ? kUnknown : key.second);
  }
  return table;
}

}  // namespace
}  // namespace cpu_core_sum

const StatsReport cpu_core_sum_report{
    .name = "cpu_core_sum",
    .usage = "cpu_core_sum",
    .title = "CPU Core Summary",
    .description = R"(How the profiled threads were distributed over the host's cores, from context switches.

Running (%)  share of the time between the first and last time that any thread of the rank was on a core
Running      time in which a profiled thread was on this core; other work of the core was not recorded
Switches     number of times a thread was switched in
Threads      number of threads that ran on it
Busiest (%)  share of Running used by the thread that ran on it longest
Busiest Tid  ID of that thread
Core         number of the core; with several ranks, each rank has its own cores

Cores on which no profiled thread ran have no row. This report is specific to Sonde.)",
    .data = "context switch (nsys: --cpuctxsw=process-tree)",
    .in_default_set = false,
    .fields = cpu_core_sum::fields,
    .run = cpu_core_sum::run,
};

}  // namespace sonde
