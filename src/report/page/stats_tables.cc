#include "report/page/stats_tables.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "trace/columns.h"

namespace sonde {
namespace {

bool is_trace(const StatsReport& report) { return report.name.ends_with("_trace"); }

size_t event_count(const Trace& trace) {
  size_t events = 0;
  for_each_table(trace, [&](const auto& table, std::string_view) { events += row_count(table); });
  return events;
}

/// A report that takes longer than 0.5 s of a core with 5 million events, and how many events it has to tell of.
struct SlowReport {
  std::string_view name;
  size_t (*events)(const Trace& trace);
};

constexpr std::array kSlow = {
    SlowReport{"cuda_api_trace", [](const Trace& t) { return row_count(t.api); }},
    SlowReport{"cuda_gpu_trace", [](const Trace& t) { return row_count(t.kernels) + row_count(t.copies); }},
    SlowReport{"cuda_kern_exec_trace", [](const Trace& t) { return row_count(t.kernels); }},
    SlowReport{"nvtx_pushpop_trace", [](const Trace& t) { return row_count(t.ranges); }},
    SlowReport{"nvtx_gpu_proj_trace", [](const Trace& t) { return row_count(t.ranges); }},
    SlowReport{"gpu_metric_module_sum", [](const Trace& t) { return row_count(t.counter_values); }}};

bool is_left_out(const StatsReport& report, const Trace& trace) {
  const auto* slow = std::ranges::find(kSlow, report.name, &SlowReport::name);
  return slow != kSlow.end() && slow->events(trace) > 0 && event_count(trace) > kMaxEventsOfSlow;
}

void cut(Table& table, size_t most) {
  if (table.rows() <= most) return;
  std::vector<Row> first(most);
  std::iota(first.begin(), first.end(), Row{0});
  table.select_rows(first);
}

}  // namespace

StatsTable stats_table(const StatsReport& report, const Trace& trace) {
  StatsTable made{.report = &report, .table = {}, .rows = 0, .left_out = false};
  made.left_out = is_left_out(report, trace);
  if (made.left_out) return made;
  auto table = report.run(trace, {.rows = -1});
  if (!table) return made;
  made.rows = table->rows();
  made.table = std::move(*table);
  cut(made.table, is_trace(report) ? kMaxRowsOfTrace : kMaxRowsOfTable);
  return made;
}

}  // namespace sonde
