#include "analyses/ranges/range_work.h"

#include <algorithm>
#include <limits>

#include "analyses/calls/launches_by_thread.h"
#include "analyses/ranges/range_label.h"
#include "trace/columns.h"

namespace sonde {
namespace {

RangeWork no_work(size_t rows) {
  return {std::vector<uint32_t>(rows, 0), Times(rows, std::numeric_limits<int64_t>::max()),
          Times(rows, std::numeric_limits<int64_t>::min())};
}

void add_span(RangeWork& work, Row range, uint32_t ops, int64_t start, int64_t end) {
  work.ops[range] += ops;
  work.first_start[range] = std::min(work.first_start[range], start);
  work.last_end[range] = std::max(work.last_end[range], end);
}

void add_push_pop(const Trace& trace, RangeWork& work) {
  for_each_launched(trace, [&](const GpuOps& ops, Row row) {
    for (const DomainLinks& domain : trace.range_links) {
      const Row range = domain.of_api[ops.launch[row]];
      if (range != kNone) add_span(work, range, 1, ops.start[row], ops.end[row]);
    }
  });
  fold_into_parents(trace.ranges.parent, [&](Row parent, Row child) {
    add_span(work, parent, work.ops[child], work.first_start[child], work.last_end[child]);
  });
}

void add_start_end(const Trace& trace, RangeWork& work) {
  const std::vector<Row> ranges = start_end_ranges_of_one_thread(trace.ranges);
  if (ranges.empty()) return;
  const LaunchesByThread launches(trace, LaunchesByThread::Kinds::all);
  for (const Row range : ranges) {
    launches.for_each_inside(range, [&](const Launch& l) { add_span(work, range, 1, l.start, l.end); });
  }
}

}  // namespace

RangeWork work_of_ranges(const Trace& trace) {
  RangeWork work = no_work(row_count(trace.ranges));
  add_push_pop(trace, work);
  add_start_end(trace, work);
  for (Row row = 0; row < work.ops.size(); ++row) {
    if (!is_closed(trace.ranges, row)) work.ops[row] = 0;
  }
  return work;
}

}  // namespace sonde
