#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "findings/kernel_rules/shared_launch_costs.h"

/// Loads and stores of global memory whose threads do not access neighboring addresses: a warp moves more sectors of 32
/// bytes than its bytes need. Where sectors were not counted, the passes that L1 makes for a request stand for them: of
/// a kernel without shared memory they have no other cause.
namespace sonde {
namespace kernel_uncoalesced_finding {
namespace {

/// Below it the cause is mostly the alignment of rows.
constexpr double kMinExcessPercent = 10;
/// A request of a warp for 16 bytes a thread takes four passes.
constexpr double kMostPassesNeeded = 4;
/// Below it L1 cannot cost much.
constexpr double kBusyPercent = 40;

/// What the compute units do is work that stays.
bool is_at_compute_limit(const MeasuredLaunch& launch) {
  constexpr double kAtItsLimit = 80;
  return launch.is_limited_by_compute() && launch.compute_percent.value_or(0) >= kAtItsLimit;
}

std::optional<LaunchProblem> by_sectors(const MeasuredLaunch& launch) {
  const auto all = launch.quantity("global_sectors");
  const auto excess = launch.quantity("excessive_global_sectors");
  if (!all || !excess || *all <= 0 || is_at_compute_limit(launch)) return std::nullopt;
  const double share = 100 * *excess / *all;
  if (share < kMinExcessPercent) return std::nullopt;
  return LaunchProblem{saved_percent(launch, share * launch.memory_time_percent() / 100),
                       {text_argument("sectors", rounded_count(*all)),
                        text_argument("needed", rounded_count(*all - *excess)), percent_argument("excess", share)}};
}

/// Passes of L1's data stage for each request of a warp. The shares of the peak are of one pass a cycle and one request
/// in two cycles.
std::optional<double> passes_per_request(const MeasuredLaunch& launch) {
  const auto wavefronts = launch.metric("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed");
  const auto requests = launch.metric("l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed");
  if (!wavefronts || !requests || *requests <= 0 || *wavefronts < kBusyPercent) return std::nullopt;
  return 2 * *wavefronts / *requests;
}

std::optional<LaunchProblem> by_passes(const MeasuredLaunch& launch) {
  const bool counted = launch.quantity("global_sectors") && launch.quantity("excessive_global_sectors");
  const auto passes = passes_per_request(launch);
  if (counted || !passes || *passes <= kMostPassesNeeded || is_at_compute_limit(launch)) return std::nullopt;
  if (!launch.memory || launch.memory->part != MemoryPart::l1) return std::nullopt;
  const double share = 100 * (1 - 1 / *passes);
  return LaunchProblem{saved_percent(launch, share * launch.memory_time_percent() / 100),
                       {count_argument("passes", *passes), percent_argument("busy", launch.memory->percent)}};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  add_launches(facts,
               {.id = "kernel_uncoalesced", .problem = by_sectors, .counter = "memory_l2_theoretical_sectors_global"},
               diagnosis);
  add_launches(facts, {.id = "kernel_l1_passes", .problem = by_passes}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"kernel_uncoalesced.says",
     "Kernels with uncoalesced accesses to global memory take {time}: {most}. {it} moves {sectors} sectors of 32 "
     "bytes; its accesses need {needed} ({excess} are in excess)."},
    {"kernel_uncoalesced.do",
     "Let neighboring threads of a warp access neighboring addresses: swap the loops or the thread indices, store "
     "arrays "
     "of structures as structures of arrays, or load tiles into shared memory. If the addresses are data (gather), "
     "sort "
     "or pack them. sonde kernel FILE --page details shows the source lines."},
    {"kernel_l1_passes.says",
     "Kernels whose loads and stores take many passes through L1 take {time}: {most}. {it} needs {passes} passes "
     "for each request of a warp and keeps L1 at {busy} of its peak. It uses no shared memory, so the accesses to "
     "global "
     "memory are uncoalesced."},
    {"kernel_l1_passes.do",
     "Let neighboring threads of a warp access neighboring addresses: swap the loops or the thread indices, or load "
     "tiles "
     "into shared memory. ncu --set full (sonde record --set full) counts the sectors."},
});

std::vector<FindingDoc> docs() {
  return {
      FindingDoc{
          .ids = {"kernel_uncoalesced"},
          .reports = "A measured kernel moves more sectors of global memory than its accesses need.",
          .when = fmt::format("At least {:g} % of the sectors are in excess (`derived__memory_l2_theoretical_sectors_"
                              "global_excessive`).",
                              kMinExcessPercent),
          .not_when = "Kernels at the limit of the compute units do not count.",
          .ceiling =
              "The share of the excess sectors in the time in which memory is busy or warps wait for it, at most "
              "what the compute units leave.",
          .evidence = "The launches that lose the most time."},
      FindingDoc{
          .ids = {"kernel_l1_passes"},
          .reports = "The same for reports without counted sectors: L1 makes many passes for each request.",
          .when = fmt::format("L1 limits the kernel, its data stage is at {:g} % or more of its peak, and a request "
                              "takes more than {:g} passes.",
                              kBusyPercent, kMostPassesNeeded),
          .not_when = "Kernels that use shared memory do not count: passes can be bank conflicts.",
          .ceiling = "The same with the share of the passes beyond one for each request.",
          .evidence = "The launches that lose the most time."}};
}

}  // namespace
}  // namespace kernel_uncoalesced_finding

extern const Rule kernel_uncoalesced_rule;
const Rule kernel_uncoalesced_rule{.name = "kernel_uncoalesced",
                                   .description = "measured kernels with uncoalesced accesses to global memory",
                                   .fields = kKernelReportFields,
                                   .checks = kKernelReportChecks,
                                   .judge = &kernel_uncoalesced_finding::judge,
                                   .texts = kernel_uncoalesced_finding::kTexts,
                                   .docs = &kernel_uncoalesced_finding::docs,
                                   .fix = FixKind::kernel,
                                   .of_kernel_reports = true,
                                   .claims = ClaimUse::adds};

}  // namespace sonde
