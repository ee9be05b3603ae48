#include "report/page/stats_tables.h"

#include <algorithm>
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

void cut(Table& table, size_t most) {
  if (table.rows() <= most) return;
  std::vector<Row> first(most);
  std::iota(first.begin(), first.end(), Row{0});
  table.select_rows(first);
}

}  // namespace

StatsTable stats_table(const StatsReport& report, const Trace& trace) {
  StatsTable made{.report = &report, .table = {}, .rows = 0, .left_out = false};
  made.left_out = is_trace(report) && event_count(trace) > kMostEventsOfTrace;
  if (made.left_out) return made;
  auto table = report.run(trace, {.rows = -1});
  if (!table) return made;
  made.rows = table->rows();
  made.table = std::move(*table);
  cut(made.table, is_trace(report) ? kMostRowsOfTrace : kMostRowsOfTable);
  return made;
}

}  // namespace sonde
