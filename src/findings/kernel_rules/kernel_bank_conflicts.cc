#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analyses/kernels/stall_reasons.h"
#include "findings/kernel_rules/shared_launch_costs.h"

/// Accesses to shared memory that take more passes than their bytes need, because threads of a warp access different
/// words of one bank.
namespace sonde {
namespace kernel_bank_conflicts_finding {
namespace {

constexpr double kMinExcessPercent = 10;
/// Below it, and without warps that wait for shared memory, passes more or less change nothing.
constexpr double kBusyPercent = 40;
constexpr double kStallPercent = 20;

constexpr std::string_view kPassesByInstruction = "memory_l1_wavefronts_shared";

struct Passes {
  double all = 0;
  double excess = 0;
};

/// By instruction where that was collected. The counter of all passes also counts those of other instructions.
std::optional<Passes> passes_of(const MeasuredLaunch& launch) {
  const auto counted = launch.metric(kPassesByInstruction);
  const auto excess = launch.quantity("excessive_shared_wavefronts");
  if (counted && excess) return Passes{*counted, *excess};
  const auto all = launch.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  const auto conflicts = launch.quantity("shared_bank_conflicts");
  return all && conflicts ? std::optional(Passes{*all, *conflicts}) : std::nullopt;
}

bool waits_for_shared_memory(const MeasuredLaunch& launch) {
  const auto stall = top_stall(*launch.trace, *launch.profile);
  if (!stall || stall->share_percent.value_or(0) < kStallPercent) return false;
  return stall->reason == "mio_throttle" || stall->reason == "short_scoreboard";
}

bool keeps_it_busy(const MeasuredLaunch& launch) {
  if (!launch.memory || launch.memory->percent < kBusyPercent) return false;
  const MemoryPart part = launch.memory->part;
  return part == MemoryPart::shared || part == MemoryPart::l1_or_shared || part == MemoryPart::l1;
}

/// Atomic operations of a warp on one word take a pass each.
bool are_mostly_atomic(const MeasuredLaunch& launch, const Passes& passes) {
  const auto atomic = launch.metric("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum");
  return 2 * atomic.value_or(0) >= passes.excess;
}

std::optional<LaunchProblem> problem_of(const MeasuredLaunch& launch, bool atomic) {
  const auto passes = passes_of(launch);
  if (!passes || passes->all <= 0 || passes->excess < 1) return std::nullopt;
  if (are_mostly_atomic(launch, *passes) != atomic) return std::nullopt;
  const double excess = 100 * passes->excess / passes->all;
  if (excess < kMinExcessPercent || !(keeps_it_busy(launch) || waits_for_shared_memory(launch))) return std::nullopt;
  const double stage = std::max(launch.metric("l1tex__data_pipe_lsu_wavefronts.sum").value_or(0), passes->all);
  return LaunchProblem{
      saved_percent(launch, 100 * passes->excess / stage),
      {text_argument("passes", rounded_count(passes->all)),
       text_argument("needed", rounded_count(passes->all - passes->excess)), percent_argument("excess", excess)}};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const auto of = [](bool atomic) { return [atomic](const MeasuredLaunch& l) { return problem_of(l, atomic); }; };
  add_launches(facts, {.id = "kernel_bank_conflicts", .problem = of(false), .counter = kPassesByInstruction},
               diagnosis);
  add_launches(facts, {.id = "kernel_shared_atomics", .problem = of(true), .counter = kPassesByInstruction}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"kernel_bank_conflicts.says",
     "Kernels with bank conflicts in shared memory take {time}: {most}. {it} takes {passes} passes for its accesses; "
     "without conflicts {needed} are enough ({excess} are in excess)."},
    {"kernel_bank_conflicts.do",
     "Let the threads of a warp access different banks (neighboring words of 4 bytes): pad the rows of a tile by one "
     "element, swizzle the indices, or change which thread reads what. sonde kernel FILE --page details shows the "
     "source "
     "lines."},
    {"kernel_shared_atomics.says",
     "Kernels with atomic operations on the same words of shared memory take {time}: {most}. {it} takes {passes} "
     "passes for its accesses to shared memory; if no two threads of a warp met, {needed} would be enough ({excess} "
     "are in excess)."},
    {"kernel_shared_atomics.do",
     "Combine the values of a warp first (__match_any_sync, __reduce_add_sync, shuffles), keep several copies of a "
     "histogram in shared memory, one for each warp, or sort the values."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"kernel_bank_conflicts", "kernel_shared_atomics"},
      .reports = "Accesses of a measured kernel to shared memory conflict in its banks. `kernel_shared_atomics`: most "
                 "of the conflicts are of atomic operations.",
      .when =
          fmt::format("At least {:g} % of the passes are in excess. L1 and shared memory are at {:g} % of their peak, "
                      "or {:g} % of the warps' time is a wait for shared memory (`mio_throttle`, "
                      "`short_scoreboard`).",
                      kMinExcessPercent, kBusyPercent, kStallPercent),
      .not_when = {},
      .ceiling = "The share of these passes in all passes of the data stage, at most what the compute units leave.",
      .evidence = "The launches that lose the most time."}};
}

}  // namespace
}  // namespace kernel_bank_conflicts_finding

extern const Rule kernel_bank_conflicts_rule;
const Rule kernel_bank_conflicts_rule{.name = "kernel_bank_conflicts",
                                      .description = "measured kernels with bank conflicts in shared memory",
                                      .fields = kKernelReportFields,
                                      .checks = kKernelReportChecks,
                                      .judge = &kernel_bank_conflicts_finding::judge,
                                      .texts = kernel_bank_conflicts_finding::kTexts,
                                      .docs = &kernel_bank_conflicts_finding::docs,
                                      .fix = FixKind::kernel,
                                      .of_kernel_reports = true,
                                      .claims = ClaimUse::adds};

}  // namespace sonde
