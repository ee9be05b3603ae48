#include "findings/saving_without_waits.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analyses/gpus/busy_time.h"
#include "findings/evidence/faster_kernels.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// What one GPU does in the judged time.
struct Work {
  std::map<StreamId, std::vector<Span>> by_stream;
  double filled_ns = 0;  ///< the time of its kernels, each by the part of the GPU that its blocks fill
};

int64_t least_busy_ns(Work& work) {
  std::vector<Span> all;
  int64_t busiest = 0;
  for (auto& [stream, spans] : work.by_stream) {
    busiest = std::max(busiest, union_ns(spans));
    all.insert(all.end(), spans.begin(), spans.end());
  }
  // Kernels that run at once take longer, so their sum can be longer than the time in which they run.
  return std::min(std::max(busiest, static_cast<int64_t>(work.filled_ns)), union_ns(all));
}

bool is_communication(const Facts& facts, const GpuOps& ops, Row row) {
  return &ops == &facts.trace.kernels && facts.communication[row] != CommunicationKind::none;
}

/// By GPU.
std::vector<Work> judged_work(const Facts& facts) {
  std::vector<Work> work(facts.gpus.gpus.size());
  for_each_gpu_table(facts.trace, [&](const GpuOps& ops) {
    for (Row row = 0; row < row_count(ops); ++row) {
      if (!facts.judged(ops.start[row]) || is_communication(facts, ops, row)) continue;
      const StreamId stream = ops.stream[row];
      const int64_t end = std::min(ops.end[row], facts.extent.second);
      work[facts.gpus.of_stream[stream]].by_stream[stream].emplace_back(ops.start[row], end);
    }
  });
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
  std::vector<Work> all = judged_work(facts);
  int64_t most = 0;
  for (Work& work : all) most = std::max(most, facts.wall_ns() - least_busy_ns(work));
  return most;
}

}  // namespace sonde
