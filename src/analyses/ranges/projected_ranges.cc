#include "analyses/ranges/projected_ranges.h"

#include <algorithm>

#include "trace/columns.h"

namespace sonde {

ProjectedRanges project_ranges(const Trace& trace) {
  ProjectedRanges p{{}, work_of_ranges(trace), nest_by_thread(trace.ranges), {}};
  p.children.assign(row_count(trace.ranges), 0);
  for (Row row = 0; row < p.work.ops.size(); ++row) {
    if (p.work.ops[row] == 0) continue;
    p.rows.push_back(row);
    if (p.nesting.parent[row] != kNone) ++p.children[p.nesting.parent[row]];
  }
  std::ranges::stable_sort(p.rows, {}, [&](Row row) { return p.work.first_start[row]; });
  return p;
}

}  // namespace sonde
