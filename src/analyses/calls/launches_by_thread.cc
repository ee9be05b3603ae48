#include "analyses/calls/launches_by_thread.h"

#include "analyses/ranges/range_label.h"
#include "trace/columns.h"

namespace sonde {
namespace {

void collect(const GpuOps& ops, std::vector<Launch>& launches) {
  for (Row row = 0; row < ops.launch.size(); ++row) {
    if (ops.launch[row] != kNone) launches.push_back({ops.launch[row], row, ops.start[row], ops.end[row]});
  }
}

}  // namespace

LaunchesByThread::LaunchesByThread(const Trace& trace, Kinds kinds) : trace_(trace) {
  std::vector<Launch> launches;
  collect(trace.kernels, launches);
  if (kinds == Kinds::all) {
    collect(trace.copies, launches);
    collect(trace.sets, launches);
    collect(trace.graph_launches, launches);
  }
  std::erase_if(launches, [&](const Launch& l) { return trace.api.thread[l.call] == kNone; });
  std::ranges::stable_sort(launches, {}, &Launch::call);  // rows of `api` are in the order of their start
  Ids thread(launches.size());
  std::ranges::transform(launches, thread.begin(), [&](const Launch& l) { return trace.api.thread[l.call]; });
  launches_ = bucket<Launch>(thread, launches, trace.threads.size());
}

std::span<const Launch> LaunchesByThread::of_thread(ThreadId thread) const {
  const size_t first = launches_.starts[thread];
  return std::span(launches_.values).subspan(first, launches_.starts[thread + 1] - first);
}

std::vector<Row> start_end_ranges_of_one_thread(const Ranges& ranges) {
  std::vector<Row> rows;
  for (Row row = 0; row < row_count(ranges); ++row) {
    if (is_push_pop(ranges, row) || !is_closed(ranges, row)) continue;
    const ThreadId end_thread = ranges.end_thread.empty() ? kNone : ranges.end_thread[row];
    if (end_thread == kNone || end_thread == ranges.thread[row]) rows.push_back(row);
  }
  return rows;
}

}  // namespace sonde
