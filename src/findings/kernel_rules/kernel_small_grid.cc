#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "findings/kernel_rules/shared_launch_costs.h"

/// Grids with fewer blocks than the GPU holds at once: SMs, or places on them, have nothing to do.
namespace sonde {
namespace kernel_small_grid_finding {
namespace {

/// Starting and ending a kernel takes this long, whatever its grid: the time of an empty one.
constexpr double kEmptyKernelNs = 1'700;
/// A launch that takes up to this does little else (kernel_empty).
constexpr double kShortKernelNs = 3'000;

/// The part of the GPU that the grid fills: of its SMs, and of the places for blocks on them.
std::optional<double> fill_of(const MeasuredLaunch& launch, double blocks, double sms) {
  const double fill = std::min(blocks / sms, launch.quantity("waves").value_or(1));
  return fill < 1 && fill > 0 ? std::optional(fill) : std::nullopt;
}

std::optional<LaunchProblem> problem_of(const MeasuredLaunch& launch) {
  const auto duration = static_cast<double>(launch.duration_ns);
  const auto blocks = launch.quantity("grid_size");
  const auto sms = launch.quantity("sm_count");
  if (!blocks || !sms || *blocks <= 0 || *sms <= 0 || duration <= kShortKernelNs) return std::nullopt;
  const auto fill = fill_of(launch, *blocks, *sms);
  const double idle = launch.idle_percent().value_or(100);
  if (!fill || idle <= 20) return std::nullopt;
  const double work = 1 - kEmptyKernelNs / duration;
  return LaunchProblem{
      std::min(100 * (1 - *fill) * work, idle),
      {count_argument("blocks", *blocks), count_argument("threads", launch.quantity("block_size").value_or(0)),
       count_argument("sms", *sms), percent_argument("fill", 100 * *fill)}};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  add_launches(facts, {.id = "kernel_small_grid", .problem = problem_of}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"kernel_small_grid.says",
     "Kernels whose grid does not fill the GPU take {time}: {most}. {it} has {blocks:block} of {threads:thread} for "
     "{sms:SM}: that fills {fill} of the GPU."},
    {"kernel_small_grid.do",
     "Launch more blocks: smaller tiles per block, split sums (split-k), a larger batch. Without more work to do, run "
     "other kernels in parallel on several streams, or do more work in one kernel."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"kernel_small_grid"},
      .reports = "The grid of a measured kernel has fewer blocks than the GPU has SMs, or than it holds at "
                 "once.",
      .when = fmt::format("The kernel takes more than {:g} us, and neither compute nor memory is above 80 %.",
                          kShortKernelNs / 1000),
      .not_when = {},
      .ceiling = "The kernel's time, without that of an empty kernel, with the work spread over the whole "
                 "GPU.",
      .evidence = "The launches that lose the most time."}};
}

}  // namespace
}  // namespace kernel_small_grid_finding

extern const Rule kernel_small_grid_rule;
const Rule kernel_small_grid_rule{.name = "kernel_small_grid",
                                  .description = "measured kernels whose grid does not fill the GPU",
                                  .fields = kKernelReportFields,
                                  .checks = kKernelReportChecks,
                                  .judge = &kernel_small_grid_finding::judge,
                                  .texts = kernel_small_grid_finding::kTexts,
                                  .docs = &kernel_small_grid_finding::docs,
                                  .fix = FixKind::kernel,
                                  .of_kernel_reports = true,
                                  .claims = ClaimUse::adds};

}  // namespace sonde
