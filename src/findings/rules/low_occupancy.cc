#include <array>

#include <fmt/format.h>

#include "findings/evidence/faster_kernels.h"
#include "trace/columns.h"

/// Kernels with low theoretical occupancy: too few warps hide the latency of memory. Matrix products and attention are
/// left out: they work from registers and need few warps. Kernels that keep memory busy according to Nsight Compute are
/// left out too. The ceiling assumes that throughput grows with the warps, up to half of the warps that an SM holds.
namespace sonde {
namespace low_occupancy_finding {
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
  add_faster_kernels(facts, "low_occupancy", faster, {percent_argument("occupancy", highest)}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"low_occupancy.says", "Kernels with at most {occupancy} theoretical occupancy take {time}: {most}."},
    {"low_occupancy.do",
     "Check what limits the occupancy (sonde kernel FILE): registers (__launch_bounds__, -maxrregcount), shared memory "
     "or block size. Measure one kernel first (sonde study, ncu --set full): if memory is always busy, more warps gain "
     "nothing."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"low_occupancy"},
      .reports = "Kernels have a low theoretical occupancy: an SM can hold only few of their warps.",
      .when = fmt::format(
          "The theoretical occupancy is at most {:g} %. All such kernels take at least {} % of the judged time.",
          kLowPercent, kWorthPercent),
      .not_when =
          fmt::format("Matrix products, attention, communication, and grids of less than one full wave do not count. "
                      "Kernels measured at {:g} % or more of the peak memory throughput do not count.",
                      kBusyPercent),
      .ceiling =
          fmt::format("Replay with throughput that grows with the warps, up to {:g} % occupancy.", kEnoughPercent),
      .evidence = "The kernels that lose the most time."}};
}

}  // namespace
}  // namespace low_occupancy_finding

extern const Rule low_occupancy_rule;
const Rule low_occupancy_rule{.name = "low_occupancy",
                              .description = "kernels with low theoretical occupancy",
                              .fields = kFasterKernelsFields | launch_occupancy_fields(),
                              .checks = kFasterKernelsChecks,
                              .judge = &low_occupancy_finding::judge,
                              .texts = low_occupancy_finding::kTexts,
                              .docs = &low_occupancy_finding::docs,
                              .saves = Saves::gpu_work};

}  // namespace sonde
