#include "analyses/ranges/projected_ranges.h"
#include "analyses/ranges/range_columns.h"
#include "analyses/ranges/range_label.h"
#include "analyses/steps/thread_ids.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport nvtx_gpu_proj_trace_report;

namespace nvtx_gpu_proj_trace {
namespace {

Fields fields(const ReportArguments&) { return kProjectionFields; }

void add_times(Table& table, const Ranges& r, const ProjectedRanges& p) {
  add_column(table, "Projected Start", Unit::nanoseconds, p.rows, [&](Row row) { return p.work.first_start[row]; });
  add_column(table, "Projected Duration", Unit::nanoseconds, p.rows, [&](Row row) { return p.duration(row); });
  add_column(table, "Orig Start", Unit::nanoseconds, p.rows, [&](Row row) { return r.start[row]; });
  add_column(table, "Orig Duration", Unit::nanoseconds, p.rows, [&](Row row) { return r.end[row] - r.start[row]; });
}

void add_place(Table& table, const Trace& trace, const ProjectedRanges& p) {
  const Ids& thread = trace.ranges.thread;
  add_column(table, "PID", Unit::none, p.rows, [&](Row row) { return pid_of(trace, thread[row]); });
  add_column(table, "TID", Unit::none, p.rows, [&](Row row) { return tid_of(trace, thread[row]); });
  add_column(table, "NumGPUOps", Unit::none, p.rows, [&](Row row) { return int64_t{p.work.ops[row]}; });
  add_column(table, "Lvl", Unit::none, p.rows, [&](Row row) { return int64_t{p.nesting.level[row]}; });
  add_column(table, "NumChild", Unit::none, p.rows, [&](Row row) { return int64_t{p.children[row]}; });
  add_column(table, "RangeId", Unit::none, p.rows, range_id);
  add_column(table, "ParentId", Unit::none, p.rows, [&](Row row) { return range_id(p.nesting.parent[row]); });
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(nvtx_gpu_proj_trace_report);
  const ProjectedRanges p = project_ranges(trace);
  add_range_names(table, "Name", trace, p.rows);
  add_times(table, trace.ranges, p);
  auto& styles = table.texts("Style");
  for (const Row row : p.rows) styles.push_back(style_word(trace.ranges.style[row]));
  add_place(table, trace, p);
  add_range_stacks(table, p.nesting, p.rows);
  return table;
}

}  // namespace
}  // namespace nvtx_gpu_proj_trace

const StatsReport nvtx_gpu_proj_trace_report{
    .name = "nvtx_gpu_proj_trace",
    .usage = "nvtx_gpu_proj_trace",
    .title = "NVTX GPU Projection Trace",
    .description =
        R"(Each NVTX range projected from the host onto the GPU: from the start of the first GPU operation (kernel, copy, memset,
graph launch) that it launched to the end of the last. An operation belongs to every range that encloses the call that
launched it, on the same thread. Start/end ranges that end on another thread are omitted.

Name          domain and text, "domain:text"; ":text" in the default domain
Projected Start, Projected Duration  on the GPU
Orig Start, Orig Duration            on the host
Style         PushPop or StartEnd
PID, TID      process and thread of the range
NumGPUOps     operations that it launched
Lvl           nesting level: number of enclosing ranges of the thread; 0 for an outermost range
NumChild      direct child ranges that launched GPU operations
RangeId       number of the range, in order of start
ParentId      RangeId of the enclosing range
RangeStack    RangeIds from the outermost range to this one)",
    .data = "NV Tools Extension (NVTX)",
    .in_default_set = false,
    .fields = nvtx_gpu_proj_trace::fields,
    .run = nvtx_gpu_proj_trace::run,
};

}  // namespace sonde
