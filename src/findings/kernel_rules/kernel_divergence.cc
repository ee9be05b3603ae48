#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "findings/kernel_rules/shared_launch_costs.h"

/// Warps whose threads take different paths: an instruction is executed for few of the 32 threads, and again for the
/// others.
namespace sonde {
namespace kernel_divergence_finding {
namespace {

/// Nsight Compute's own rule speaks up below 24 of 32 threads.
constexpr double kMostActivePercent = 75;

/// The share of threads that a warp of whole blocks has, in percent: the last warp of a block of 48 has 16.
double most_active_percent(const MeasuredLaunch& launch) {
  constexpr double kWarp = 32;
  const double threads = launch.metric("launch__block_size").value_or(kWarp);
  return threads <= 0 ? 100 : 100 * threads / (kWarp * std::ceil(threads / kWarp));
}

/// With whole warps on one path, instructions shrink to the share of active threads, down to the time of the memory.
std::optional<LaunchProblem> problem_of(const MeasuredLaunch& launch) {
  const auto active = launch.quantity("warp_execution_efficiency");
  if (!active || *active <= 0 || launch.bound == KernelBound::memory) return std::nullopt;
  const double of_most = 100 * *active / most_active_percent(launch);
  if (of_most > kMostActivePercent) return std::nullopt;
  const double left = std::max(of_most, launch.memory_percent.value_or(0));
  return LaunchProblem{100 - left, {number_argument("threads", Unit::none, 32 * *active / 100)}};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  add_launches(facts, {.id = "kernel_divergence", .problem = problem_of}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"kernel_divergence.says",
     "Kernels with divergent warps take {time}: {most}. {it} executes an instruction for {threads} of the 32 threads "
     "of a "
     "warp on average."},
    {"kernel_divergence.do",
     "Let all threads of a warp take the same path: branch on the warp or the block instead of the thread, sort or "
     "partition the work by its path or length, and share long loops among the threads. sonde kernel FILE --page "
     "source "
     "shows where."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"kernel_divergence"},
      .reports = "The threads of a warp of a measured kernel take different paths.",
      .when = fmt::format("At most {:g} % of the threads that a warp has are active in an instruction, on average.",
                          kMostActivePercent),
      .not_when = "Kernels that memory limits do not count.",
      .ceiling = "The share of inactive threads, at most what the memory leaves.",
      .evidence = "The launches that lose the most time."}};
}

}  // namespace
}  // namespace kernel_divergence_finding

extern const Rule kernel_divergence_rule;
const Rule kernel_divergence_rule{.name = "kernel_divergence",
                                  .description = "measured kernels with divergent warps",
                                  .fields = kKernelReportFields,
                                  .checks = kKernelReportChecks,
                                  .judge = &kernel_divergence_finding::judge,
                                  .texts = kernel_divergence_finding::kTexts,
                                  .docs = &kernel_divergence_finding::docs,
                                  .fix = FixKind::kernel,
                                  .of_kernel_reports = true,
                                  .claims = ClaimUse::adds};

}  // namespace sonde
