#include "analyses/gpus/communication.h"

#include <algorithm>

#include "analyses/gpus/covered_time.h"
#include "analyses/gpus/operations_by_start.h"
#include "trace/columns.h"

namespace sonde {
namespace {

std::vector<Span> joined(const std::vector<Span>& a, const std::vector<Span>& b) {
  std::vector<Span> both = a;
  both.insert(both.end(), b.begin(), b.end());
  merge_spans(both);
  return both;
}

}  // namespace

std::vector<GpuActivity> gpu_activity(const Trace& trace, const Gpus& gpus,
                                      const std::vector<CommunicationKind>& kinds) {
  std::vector<GpuActivity> all(gpus.gpus.size());
  for_each_operation_by_start(trace, [&](const GpuOps& ops, Row row) {
    GpuActivity& gpu = all[gpus.of_stream[ops.stream[row]]];
    std::vector<Span>* spans = &gpu.compute;
    if (&ops == &trace.kernels && kinds[row] != CommunicationKind::none) spans = &gpu.communication;
    if (&ops == &trace.copies) spans = is_peer_copy(trace.copies, row) ? &gpu.communication : &gpu.copies;
    if (&ops == &trace.sets) spans = &gpu.copies;
    add_merged(*spans, {ops.start[row], ops.end[row]});
  });
  return all;
}

std::vector<int64_t> own_work_ns(const std::vector<GpuActivity>& activity, Span extent) {
  std::vector<int64_t> times;
  for (const GpuActivity& gpu : activity) times.push_back(covered_ns(extent, joined(gpu.compute, gpu.copies)));
  return times;
}

TimeBreakdown& TimeBreakdown::operator+=(const TimeBreakdown& other) {
  total_ns += other.total_ns;
  compute_ns += other.compute_ns;
  communication_ns += other.communication_ns;
  overlap_ns += other.overlap_ns;
  exposed_communication_ns += other.exposed_communication_ns;
  exposed_copies_ns += other.exposed_copies_ns;
  busy_ns += other.busy_ns;
  idle_ns += other.idle_ns;
  return *this;
}

TimeBreakdown break_down(const GpuActivity& activity) {
  TimeBreakdown b;
  const std::vector<Span> kernels = joined(activity.compute, activity.communication);
  const std::vector<Span> all = joined(kernels, activity.copies);
  b.compute_ns = total_ns(activity.compute);
  b.communication_ns = total_ns(activity.communication);
  b.exposed_communication_ns = total_ns(kernels) - b.compute_ns;
  b.overlap_ns = b.communication_ns - b.exposed_communication_ns;
  b.busy_ns = total_ns(all);
  b.exposed_copies_ns = b.busy_ns - total_ns(kernels);
  b.total_ns = all.empty() ? 0 : all.back().second - all.front().first;
  b.idle_ns = b.total_ns - b.busy_ns;
  return b;
}

}  // namespace sonde
