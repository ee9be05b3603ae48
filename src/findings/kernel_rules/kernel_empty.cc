#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "findings/kernel_rules/shared_launch_costs.h"

/// Launches about as long as an empty kernel: what they do is not what takes their time.
namespace sonde {
namespace kernel_empty_finding {
namespace {

constexpr int64_t kShortKernelNs = 3'000;

std::optional<LaunchProblem> problem_of(const MeasuredLaunch& launch) {
  if (launch.duration_ns > kShortKernelNs) return std::nullopt;
  return LaunchProblem{100, {}};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  add_launches(facts, {.id = "kernel_empty", .problem = problem_of, .reachable = false}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"kernel_empty.says",
     "{launches:launch} with little to do take {time}: {most}. An empty kernel takes about as long."},
    {"kernel_empty.do",
     "Changes inside such a kernel gain nothing. Do more work in one launch: merge it with its neighbors, or process a "
     "larger input."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{.ids = {"kernel_empty"},
                     .reports = "Measured launches take little longer than an empty kernel.",
                     .when = fmt::format("A launch takes at most {} us.", kShortKernelNs / 1000),
                     .not_when = {},
                     .ceiling = "Their time: a bound that no fix reaches.",
                     .evidence = "The longest launches."}};
}

}  // namespace
}  // namespace kernel_empty_finding

extern const Rule kernel_empty_rule;
const Rule kernel_empty_rule{.name = "kernel_empty",
                             .description = "measured kernels that take little longer than an empty kernel",
                             .fields = kKernelReportFields,
                             .checks = kKernelReportChecks,
                             .judge = &kernel_empty_finding::judge,
                             .texts = kernel_empty_finding::kTexts,
                             .docs = &kernel_empty_finding::docs,
                             .of_kernel_reports = true,
                             .claims = ClaimUse::adds};

}  // namespace sonde
