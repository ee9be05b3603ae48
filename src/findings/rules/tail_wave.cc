#include <array>

#include <fmt/format.h>

#include "findings/evidence/faster_kernels.h"
#include "trace/columns.h"

/// Kernels whose last wave of blocks fills only a part of the GPU (tail effect). In the ceiling they take as long as
/// their waves would without the gap, if all blocks are equally long.
namespace sonde {
namespace tail_wave_finding {
namespace {

/// As Nsight Compute's rule on the tail effect: less is not worth another grid.
constexpr double kMinTailPercent = 20;

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  JudgedOccupancy occupancy(facts);
  FasterKernels faster;
  for (Row row = 0; row < row_count(k) && !k.grid.empty(); ++row) {
    if (!facts.judged(k.start[row]) || facts.communication[row] != CommunicationKind::none) continue;
    const auto& launch = occupancy.of(row);
    if (!launch || launch->occupancy.upper_bound || !launch->waves) continue;
    const double tail = launch->waves->tail_percent.value_or(0);
    if (tail < kMinTailPercent) continue;
    const auto duration = static_cast<double>(k.end[row] - k.start[row]);
    faster.add(facts, row, static_cast<int64_t>(duration * (1 - tail / 100)));
  }
  add_faster_kernels(facts, "tail_wave", faster, {}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"tail_wave.says",
     "Kernels whose last wave of blocks leaves much of the GPU empty (tail effect) take {time}: {most}."},
    {"tail_wave.do",
     "Choose block and grid sizes that fill the last wave, or launch as many blocks as the GPU holds at once and loop "
     "in each block (grid-stride loop). sonde kernel FILE shows the waves and what changes them."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"tail_wave"},
      .reports = "The last wave of a kernel's blocks fills only a part of the GPU (tail effect).",
      .when = fmt::format(
          "The partial wave wastes at least {:g} % of the kernel's time. All such kernels take at least {} % of the "
          "judged time.",
          kMinTailPercent, kWorthPercent),
      .not_when = "Communication kernels, and kernels whose launch does not determine the occupancy, do not count.",
      .ceiling = "Replay without the gap in the last wave. It assumes that all blocks are equally long.",
      .evidence = "The kernels that lose the most time."}};
}

}  // namespace
}  // namespace tail_wave_finding

extern const Rule tail_wave_rule;
const Rule tail_wave_rule{.name = "tail_wave",
                          .description = "kernels whose last wave of blocks leaves much of the GPU empty",
                          .fields = kFasterKernelsFields | launch_occupancy_fields(),
                          .checks = kFasterKernelsChecks,
                          .judge = &tail_wave_finding::judge,
                          .texts = tail_wave_finding::kTexts,
                          .docs = &tail_wave_finding::docs,
                          .saves = Saves::gpu_work};

}  // namespace sonde
