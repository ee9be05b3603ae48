#include "findings/time_explained.h"

#include <algorithm>

#include "trace/columns.h"

namespace sonde {
namespace {

/// The time in which a GPU works, a mean over GPUs.
int64_t busy_ns(const Facts& facts) {
  if (facts.is_kernel_report()) return facts.wall_ns();
  return std::min(facts.per_gpu(facts.judged_busy_ns()), facts.wall_ns());
}

std::optional<RooflineShare> roofline_share(const Facts& facts) {
  if (facts.trace.ranges.shapes.empty()) return std::nullopt;
  const OperatorCalls& operators = facts.operators();
  const Kernels& k = facts.trace.kernels;
  double all_ns = 0;
  double known_ns = 0;
  double least_ns = 0;
  for (Row row = 0; row < row_count(k); ++row) {
    if (!facts.judged(k.start[row])) continue;
    const auto duration = static_cast<double>(k.end[row] - k.start[row]);
    all_ns += duration;
    const MaybeAmount part = operators.roofline_part(row);
    if (!part) continue;
    known_ns += duration;
    least_ns += *part * duration;
  }
  if (known_ns <= 0) return std::nullopt;
  return RooflineShare{100 * known_ns / all_ns, 100 * least_ns / known_ns};
}

}  // namespace

TimeExplained explained_by(const Facts& facts, std::span<const Finding> findings) {
  int64_t saved_work = 0;
  int64_t saved_idle = 0;
  for (const Finding& f : findings) {
    if (!f.folded) (f.saves_work ? saved_work : saved_idle) += f.ceiling_ns;
  }
  // A fix of one kind can take time of the other: fewer launches also start sooner.
  const int64_t busy = busy_ns(facts);
  const int64_t idle = facts.wall_ns() - busy;
  const int64_t idle_left = idle - saved_idle;
  const int64_t work_left = busy - saved_work;
  const int64_t work = std::clamp(work_left + std::min<int64_t>(idle_left, 0), int64_t{0}, busy);
  const int64_t unexplained = std::clamp(idle_left + std::min<int64_t>(work_left, 0), int64_t{0}, idle);
  return {facts.wall_ns() - work - unexplained, work, unexplained, roofline_share(facts)};
}

}  // namespace sonde
