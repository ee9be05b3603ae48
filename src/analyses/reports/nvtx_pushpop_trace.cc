#include <algorithm>

#include "analyses/ranges/range_columns.h"
#include "analyses/ranges/range_label.h"
#include "analyses/steps/thread_ids.h"
#include "analyses/steps/thread_nesting.h"
#include "analyses/tables/grouping.h"
#include "analyses/tables/report_table.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport nvtx_pushpop_trace_report;

namespace nvtx_pushpop_trace {
namespace {

struct Children {
  std::vector<int64_t> time_ns;
  std::vector<uint32_t> count;
};

Fields fields(const ReportArguments&) { return {Field::ranges}; }

int64_t duration(const Ranges& ranges, Row row) { return ranges.end[row] - ranges.start[row]; }

/// By start, as the table is; of those that start together the shortest first, as Nsight lists them.
std::vector<Row> listed_ranges(const Ranges& ranges) {
  std::vector<Row> rows;
  for (Row row = 0; row < row_count(ranges); ++row) {
    if (is_push_pop(ranges, row) && is_closed(ranges, row)) rows.push_back(row);
  }
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last =
        std::find_if(first, rows.end(), [&](Row row) { return ranges.start[row] != ranges.start[*first]; });
    std::stable_sort(first, last, [&](Row a, Row b) { return ranges.end[a] < ranges.end[b]; });
    first = last;
  }
  return rows;
}

Children children_of(const Ranges& ranges, const ThreadNesting& nesting) {
  Children children{std::vector<int64_t>(row_count(ranges), 0), std::vector<uint32_t>(row_count(ranges), 0)};
  for (Row row = 0; row < row_count(ranges); ++row) {
    const Row parent = nesting.parent[row];
    if (parent == kNone) continue;
    children.time_ns[parent] += duration(ranges, row);
    ++children.count[parent];
  }
  return children;
}

void add_times(Table& table, const Ranges& r, const Children& children, const std::vector<Row>& rows) {
  add_column(table, "Start", Unit::nanoseconds, rows, [&](Row row) { return r.start[row]; });
  add_column(table, "End", Unit::nanoseconds, rows, [&](Row row) { return r.end[row]; });
  add_column(table, "Duration", Unit::nanoseconds, rows, [&](Row row) { return duration(r, row); });
  add_column(table, "DurChild", Unit::nanoseconds, rows, [&](Row row) { return children.time_ns[row]; });
  add_column(table, "DurNonChild", Unit::nanoseconds, rows,
             [&](Row row) { return duration(r, row) - children.time_ns[row]; });
}

/// The name behind two dashes for each level. `names` are one text for each distinct name, distinguished by address.
void add_name_tree(Table& table, const ThreadNesting& nesting, const std::vector<Row>& rows,
                   const std::vector<std::string_view>& names) {
  Grouping<std::pair<const char*, uint32_t>> indented;
  std::vector<std::string_view> texts;
  auto& tree = table.texts("NameTree");
  tree.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t level = nesting.level[rows[i]];
    const uint32_t group = indented.group_of({names[i].data(), level});
    if (group == texts.size()) {
      texts.push_back(table.keep(std::string(size_t{2} * level, '-').append(names[i])));
    }
    tree.push_back(texts[group]);
  }
}

void add_place(Table& table, const Trace& trace, const ThreadNesting& nesting, const Children& children,
               const std::vector<Row>& rows) {
  const Ids& thread = trace.ranges.thread;
  add_column(table, "PID", Unit::none, rows, [&](Row row) { return pid_of(trace, thread[row]); });
  add_column(table, "TID", Unit::none, rows, [&](Row row) { return tid_of(trace, thread[row]); });
  add_column(table, "Lvl", Unit::none, rows, [&](Row row) { return int64_t{nesting.level[row]}; });
  add_column(table, "NumChild", Unit::none, rows, [&](Row row) { return int64_t{children.count[row]}; });
  add_column(table, "RangeId", Unit::none, rows, range_id);
  add_column(table, "ParentId", Unit::none, rows, [&](Row row) { return range_id(nesting.parent[row]); });
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(nvtx_pushpop_trace_report);
  const ThreadNesting nesting = nest_by_thread(trace.ranges);
  const Children children = children_of(trace.ranges, nesting);
  const std::vector<Row> rows = listed_ranges(trace.ranges);
  add_times(table, trace.ranges, children, rows);
  const auto& names = add_range_names(table, "Name", trace, rows);
  add_place(table, trace, nesting, children, rows);
  add_range_stacks(table, nesting, rows);
  add_name_tree(table, nesting, rows, names);
  return table;
}

}  // namespace
}  // namespace nvtx_pushpop_trace

const StatsReport nvtx_pushpop_trace_report{
    .name = "nvtx_pushpop_trace",
    .usage = "nvtx_pushpop_trace",
    .title = "NVTX Push/Pop Range Trace",
    .description = R"(Each NVTX push/pop range with its times and enclosing ranges.

Start, End, Duration  of the range on its host thread
DurChild      time of its direct child ranges
DurNonChild   Duration minus DurChild
Name          domain and text, "domain:text"; ":text" in the default domain
PID, TID      process and thread
Lvl           nesting level: number of enclosing ranges of the thread; 0 for an outermost range
NumChild      number of direct child ranges
RangeId       number of the range, in order of start
ParentId      RangeId of the enclosing range
RangeStack    RangeIds from the outermost range to this one
NameTree      Name, preceded by two dashes per level

Ranges that were still open when the recording ended are omitted.)",
    .data = "NV Tools Extension (NVTX)",
    .in_default_set = false,
    .fields = nvtx_pushpop_trace::fields,
    .run = nvtx_pushpop_trace::run,
};

}  // namespace sonde
