#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "findings/kernel_rules/shared_launch_costs.h"

/// The last wave of blocks fills only a part of the GPU (tail effect).
namespace sonde {
namespace kernel_tail_finding {
namespace {

/// As Nsight Compute's rule on the tail effect.
constexpr double kMinTailPercent = 20;

std::optional<LaunchProblem> problem_of(const MeasuredLaunch& launch) {
  const auto waves = launch.quantity("waves");
  const auto tail = launch.tail_percent();
  if (!waves || !tail || *tail < kMinTailPercent) return std::nullopt;
  return LaunchProblem{
      std::min(*tail, launch.idle_percent().value_or(100)),
      {text_argument("waves", fmt::format("{:.2f}", *waves)),
       count_argument("blocks", launch.quantity("grid_size").value_or(0)), percent_argument("tail", *tail)}};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  add_launches(facts, {.id = "kernel_tail", .problem = problem_of}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"kernel_tail.says",
     "Kernels whose last wave of blocks leaves much of the GPU empty (tail effect) take {time}: {most}. {it} has "
     "{blocks:block}, which are {waves} waves; if all blocks are equally long, the last wave leaves {tail} of the time "
     "unused."},
    {"kernel_tail.do",
     "Choose block and grid sizes that fill the last wave, or launch as many blocks as the GPU holds at once and loop "
     "in "
     "each block (grid-stride loop). sonde kernel FILE shows the waves and what changes them."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"kernel_tail"},
      .reports = "The last wave of a measured kernel's blocks fills only a part of the GPU (tail effect).",
      .when = fmt::format("The partial wave leaves at least {:g} % of the kernel's time unused.", kMinTailPercent),
      .not_when = "Grids of less than one wave are `kernel_small_grid`'s.",
      .ceiling = "That share, at most what the busiest unit leaves. It assumes that all blocks are equally "
                 "long.",
      .evidence = "The launches that lose the most time."}};
}

}  // namespace
}  // namespace kernel_tail_finding

extern const Rule kernel_tail_rule;
const Rule kernel_tail_rule{.name = "kernel_tail",
                            .description = "measured kernels whose last wave of blocks leaves much of the GPU empty",
                            .fields = kKernelReportFields,
                            .checks = kKernelReportChecks,
                            .judge = &kernel_tail_finding::judge,
                            .texts = kernel_tail_finding::kTexts,
                            .docs = &kernel_tail_finding::docs,
                            .fix = FixKind::kernel,
                            .of_kernel_reports = true,
                            .claims = ClaimUse::adds};

}  // namespace sonde
