#include "findings/evidence/faster_kernels.h"
#include "trace/columns.h"

/// Kernels whose last wave of blocks fills the GPU only in part. In the ceiling they take as long as their waves would
/// without the gap: blocks are taken to be equally long.
namespace sonde {
namespace {

/// As Nsight Compute's rule on the tail effect: less is not worth another grid.
constexpr double kLeastTailPercent = 20;

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  JudgedOccupancy occupancy(facts);
  FasterKernels faster;
  for (Row row = 0; row < row_count(k) && !k.grid.empty(); ++row) {
    if (!facts.judged(k.start[row]) || facts.communication[row] != CommunicationKind::none) continue;
    const auto& launch = occupancy.of(row);
    if (!launch || launch->occupancy.upper_bound || !launch->waves) continue;
    const double tail = launch->waves->tail_percent.value_or(0);
    if (tail < kLeastTailPercent) continue;
    const auto duration = static_cast<double>(k.end[row] - k.start[row]);
    faster.add(facts, row, static_cast<int64_t>(duration * (1 - tail / 100)));
  }
  add_faster_kernels(facts, "tail_wave", faster, {}, diagnosis);
}

}  // namespace

extern const Rule tail_wave_rule;
const Rule tail_wave_rule{"tail_wave", "kernels whose last wave of blocks leaves much of the GPU empty",
                          kFasterKernelsFields | launch_occupancy_fields(), kFasterKernelsChecks, &judge};

}  // namespace sonde
