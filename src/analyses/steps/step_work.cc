#include "analyses/steps/step_work.h"

#include <algorithm>

#include "analyses/calls/launching_calls.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// The step that holds a time, for times that come in any order.
class StepAt {
 public:
  explicit StepAt(std::span<const Span> steps) : steps_(steps) {}

  /// kNone between steps.
  [[nodiscard]] uint32_t operator()(int64_t time) const {
    const auto next = std::ranges::upper_bound(steps_, time, {}, &Span::first);
    if (next == steps_.begin() || time >= std::prev(next)->second) return kNone;
    return static_cast<uint32_t>(next - steps_.begin() - 1);
  }

 private:
  std::span<const Span> steps_;
};

/// Adds to each step what it shares with `busy`, which is merged.
void add_busy(std::span<const Span> steps, std::span<const Span> busy, std::vector<StepWork>& work) {
  size_t first = 0;
  for (size_t step = 0; step < steps.size(); ++step) {
    while (first < busy.size() && busy[first].second <= steps[step].first) ++first;
    for (size_t i = first; i < busy.size() && busy[i].first < steps[step].second; ++i) {
      const int64_t end = std::min(busy[i].second, steps[step].second);
      work[step].gpu_busy_ns += end - std::max(busy[i].first, steps[step].first);
    }
  }
}

/// The merged operations of each of the rank's GPUs.
std::vector<std::vector<Span>> busy_spans(const Trace& trace, const Gpus& gpus, RankId rank) {
  std::vector<std::vector<Span>> spans(gpus.gpus.size());
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    for (Row row = 0; row < row_count(ops); ++row) {
      const uint32_t gpu = gpus.of_stream[ops.stream[row]];
      if (gpus.gpus[gpu].rank == rank) spans[gpu].emplace_back(ops.start[row], ops.end[row]);
    }
  });
  for (std::vector<Span>& of_gpu : spans) merge_spans(of_gpu);
  return spans;
}

void add_launches(const Trace& trace, RankId rank, const StepAt& step_at, std::vector<StepWork>& work) {
  const std::vector<bool> launches = launching_calls(trace);
  for (Row row = 0; row < row_count(trace.api); ++row) {
    if (!launches[row] || trace.processes[trace.threads[trace.api.thread[row]].process].rank != rank) continue;
    const uint32_t step = step_at(trace.api.start[row]);
    if (step != kNone) ++work[step].launches;
  }
}

}  // namespace

std::vector<StepWork> work_of_steps(const Trace& trace, const Gpus& gpus, const RankTurns& turns) {
  const std::span<const Span> steps = turns.steady;
  const RankId rank = turns.rank;
  std::vector<StepWork> work(steps.size());
  for (const auto& busy : busy_spans(trace, gpus, rank)) add_busy(steps, busy, work);
  const StepAt step_at(steps);
  const auto step_of = [&](const GpuOps& ops, Row row) {
    return gpus.gpus[gpus.of_stream[ops.stream[row]]].rank == rank ? step_at(ops.start[row]) : kNone;
  };
  for (Row row = 0; row < row_count(trace.kernels); ++row) {
    const uint32_t step = step_of(trace.kernels, row);
    if (step != kNone) ++work[step].kernels;
  }
  for (Row row = 0; row < row_count(trace.copies); ++row) {
    const uint32_t step = trace.copies.bytes[row] == kUnknown ? kNone : step_of(trace.copies, row);
    if (step != kNone) work[step].copy_bytes += trace.copies.bytes[row];
  }
  add_launches(trace, rank, StepAt(turns.launched), work);
  return work;
}

}  // namespace sonde
