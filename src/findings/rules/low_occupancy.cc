#include "findings/evidence/faster_kernels.h"
#include "trace/columns.h"

/// Kernels of which an SM can hold few warps only: nothing hides the time that memory takes. Matrix products and
/// attention are left out: they work from registers and need few warps; so are kernels that Nsight Compute saw keep
/// memory busy with the warps they have. The ceiling takes throughput to grow with the warps up to half of what an SM
/// holds.
namespace sonde {
namespace {

constexpr double kLowPercent = 25;
constexpr double kEnoughPercent = 50;
/// As in the speed-of-light rule: from here on it is the memory that bounds a kernel.
constexpr double kBusyPercent = 60;

bool keeps_memory_busy(const Facts& facts, Row row) {
  return facts.kernels && facts.kernels->quantity(row, "memory_sol").value_or(0) >= kBusyPercent;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  JudgedOccupancy occupancy(facts);
  FasterKernels faster;
  double highest = 0;
  for (Row row = 0; row < row_count(k) && !k.grid.empty(); ++row) {
    if (!facts.judged(k.start[row]) || is_dense_math(facts.kernel_classes[row]) ||
        facts.communication[row] != CommunicationKind::none)
      continue;
    const auto& launch = occupancy.of(row);
    if (!launch || !launch->waves || launch->waves->full == 0) continue;  // a small grid does not come so far
    const double percent = launch->occupancy.percent;
    if (percent > kLowPercent || keeps_memory_busy(facts, row)) continue;
    highest = std::max(highest, percent);
    const auto duration = static_cast<double>(k.end[row] - k.start[row]);
    faster.add(facts, row, static_cast<int64_t>(duration * percent / kEnoughPercent));
  }
  add_faster_kernels(facts, "low_occupancy", faster, {{"occupancy", Unit::percent, highest, {}}}, diagnosis);
}

}  // namespace

extern const Rule low_occupancy_rule;
const Rule low_occupancy_rule{"low_occupancy", "kernels of which an SM can hold few warps only",
                              kFasterKernelsFields | launch_occupancy_fields(), kFasterKernelsChecks, &judge};

}  // namespace sonde
