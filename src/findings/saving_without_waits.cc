#include "findings/saving_without_waits.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analyses/gpus/covered_time.h"
#include "analyses/gpus/operations_by_start.h"
#include "findings/evidence/faster_kernels.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// What one GPU does in the judged time.
struct Work {
  CoveredTime all;
  std::map<StreamId, CoveredTime> by_stream;
  double filled_ns = 0;  ///< the time of its kernels, each by the part of the GPU that its blocks fill
};

int64_t least_busy_ns(const Work& work) {
  int64_t busiest = 0;
  for (const auto& [stream, covered] : work.by_stream) busiest = std::max(busiest, covered.ns());
  // Kernels that run at once take longer, so their sum can be longer than the time in which they run.
  return std::min(std::max(busiest, static_cast<int64_t>(work.filled_ns)), work.all.ns());
}

bool is_communication(const Facts& facts, const GpuOps& ops, Row row) {
  return &ops == &facts.trace.kernels && facts.communication[row] != CommunicationKind::none;
}

/// By GPU.
std::vector<Work> judged_work(const Facts& facts) {
  std::vector<Work> work(facts.gpus.gpus.size());
  for_each_operation_by_start(
      facts.trace,
      [&](const GpuOps& ops, Row row) {
        if (is_communication(facts, ops, row)) return;
        const StreamId stream = ops.stream[row];
        const Span span{ops.start[row], std::min(ops.end[row], facts.extent.second)};
        Work& of_gpu = work[facts.gpus.of_stream[stream]];
        of_gpu.all.add(span);
        of_gpu.by_stream[stream].add(span);
      },
      facts.extent.first, facts.extent.second);
  const Kernels& k = facts.trace.kernels;
  JudgedOccupancy occupancy(facts);
  for (Row row = 0; row < row_count(k) && !k.grid.empty(); ++row) {
    if (!facts.judged(k.start[row]) || is_communication(facts, k, row)) continue;
    const auto& launch = occupancy.of(row);
    if (!launch || !launch->waves) continue;
    const double filled = std::min(1.0, launch->waves->count);
    work[facts.gpus.of_stream[k.stream[row]]].filled_ns += filled * static_cast<double>(k.end[row] - k.start[row]);
  }
  return work;
}

}  // namespace

int64_t saving_without_waits(const Facts& facts) {
  int64_t most = 0;
  for (const Work& work : judged_work(facts)) most = std::max(most, facts.wall_ns() - least_busy_ns(work));
  return most;
}

}  // namespace sonde
