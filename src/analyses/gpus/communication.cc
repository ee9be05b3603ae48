#include "analyses/gpus/communication.h"

#include <algorithm>

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
  const auto of = [&](const GpuOps& ops, Row row) -> GpuActivity& { return all[gpus.of_stream[ops.stream[row]]]; };
  const auto span = [](const GpuOps& ops, Row row) { return Span{ops.start[row], ops.end[row]}; };
  const Kernels& k = trace.kernels;
  for (Row row = 0; row < row_count(k); ++row) {
    GpuActivity& gpu = of(k, row);
    (kinds[row] == CommunicationKind::none ? gpu.compute : gpu.communication).push_back(span(k, row));
  }
  const GraphLaunches& graphs = trace.graph_launches;
  for (Row row = 0; row < row_count(graphs); ++row) of(graphs, row).compute.push_back(span(graphs, row));
  const Copies& copies = trace.copies;
  for (Row row = 0; row < row_count(copies); ++row) {
    GpuActivity& gpu = of(copies, row);
    (is_peer_copy(copies, row) ? gpu.communication : gpu.copies).push_back(span(copies, row));
  }
  for (Row row = 0; row < row_count(trace.sets); ++row) of(trace.sets, row).copies.push_back(span(trace.sets, row));
  for (GpuActivity& gpu : all) {
    merge_spans(gpu.compute);
    merge_spans(gpu.communication);
    merge_spans(gpu.copies);
  }
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
