#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analyses/kernels/stall_reasons.h"
#include "analyses/measured/occupancy_limiter.h"
#include "findings/kernel_rules/shared_launch_costs.h"

/// Few warps per SM while warps wait for data: more warps would hide the latency, until the busiest unit is at its
/// limit. Kernels whose warps do not wait, such as matrix products that work from registers, need few warps.
namespace sonde {
namespace kernel_occupancy_finding {
namespace {

constexpr double kLowPercent = 50;
constexpr double kAtLimitPercent = 80;
constexpr double kStallPercent = 30;

bool waits_for_data(const MeasuredLaunch& launch) {
  const auto stall = top_stall(*launch.trace, *launch.profile);
  if (!stall) return launch.bound == KernelBound::latency;
  const bool data = stall->reason == "long_scoreboard" || stall->reason == "short_scoreboard";
  return data && stall->share_percent.value_or(0) >= kStallPercent;
}

std::optional<LaunchProblem> problem_of(const MeasuredLaunch& launch) {
  const auto theoretical = launch.quantity("theoretical_occupancy");
  const auto busiest = launch.busiest_percent();
  if (!theoretical || *theoretical <= 0 || *theoretical > kLowPercent || !busiest) return std::nullopt;
  const bool fills = launch.quantity("waves").value_or(1) >= 1;
  if (*busiest >= kAtLimitPercent || !fills || !waits_for_data(launch)) return std::nullopt;
  const double growth = 100 - *theoretical;  // throughput grows with the warps at most
  return LaunchProblem{std::min(*launch.idle_percent(), growth),
                       {percent_argument("theoretical", *theoretical), percent_argument("busiest", *busiest),
                        text_argument("limiter", occupancy_limiter(*launch.trace, *launch.profile)),
                        count_argument("registers", launch.quantity("registers_per_thread").value_or(0))}};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  add_launches(facts, {.id = "kernel_occupancy", .problem = problem_of}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"kernel_occupancy.says",
     "Kernels with few warps per SM, which wait for data, take {time}: {most}. {it} has a theoretical occupancy of "
     "{theoretical}, limited by {limiter}. It uses {registers} registers per thread. Its busiest unit is at {busiest} "
     "of "
     "its peak."},
    {"kernel_occupancy.do",
     "Raise what limits the occupancy: fewer registers (smaller tiles per thread, __launch_bounds__), less shared "
     "memory "
     "per block, or another block size. Or give each thread more independent loads. sonde kernel FILE shows the "
     "occupancy "
     "for other registers and block sizes."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"kernel_occupancy"},
      .reports = "A measured kernel has few warps per SM, and they wait for data.",
      .when = fmt::format(
          "The theoretical occupancy is at most {:g} %, no unit is at {:g} % of its peak, and at least {:g} "
          "% of the warps' time is a wait for data (`long_scoreboard`, `short_scoreboard`). Without stall "
          "reasons: neither compute nor memory is busy.",
          kLowPercent, kAtLimitPercent, kStallPercent),
      .not_when = "Grids of less than one wave are `kernel_small_grid`'s.",
      .ceiling = "The time until the busiest unit is at its limit, at most with throughput that grows with the warps.",
      .evidence = "The launches that lose the most time."}};
}

}  // namespace
}  // namespace kernel_occupancy_finding

extern const Rule kernel_occupancy_rule;
const Rule kernel_occupancy_rule{.name = "kernel_occupancy",
                                 .description = "measured kernels with few warps per SM that wait for latency",
                                 .fields = kKernelReportFields,
                                 .checks = kKernelReportChecks,
                                 .judge = &kernel_occupancy_finding::judge,
                                 .texts = kernel_occupancy_finding::kTexts,
                                 .docs = &kernel_occupancy_finding::docs,
                                 .fix = FixKind::kernel,
                                 .of_kernel_reports = true,
                                 .claims = ClaimUse::adds};

}  // namespace sonde
