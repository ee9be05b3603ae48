#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analyses/kernels/stall_reasons.h"
#include "findings/kernel_rules/shared_launch_costs.h"

/// Loads and stores of global memory of few bytes a thread, where their number limits the kernel and not their bytes.
namespace sonde {
namespace kernel_narrow_accesses_finding {
namespace {

constexpr double kWidestBytes = 16;  // of a thread in one instruction
/// A float or less. Above half the width little is left to gain.
constexpr double kNarrowBytes = 4;
/// Of the 32 bytes of a sector: with less, threads read the same address or are not neighbors, and the width of their
/// accesses is not known.
constexpr double kUsedBytes = 31;
constexpr double kBusyPercent = 60;
constexpr double kStallPercent = 20;

constexpr std::array<std::string_view, 2> kKinds = {"ld", "st"};  // of accesses to global memory

double count_of(const MeasuredLaunch& launch, std::string_view what, std::string_view kind) {
  return launch.metric(fmt::format("l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum", what, kind)).value_or(0);
}

double count_of(const MeasuredLaunch& launch, std::string_view what) {
  double count = 0;
  for (const std::string_view kind : kKinds) count += count_of(launch, what, kind);
  return count;
}

/// Of a thread in one instruction: sectors of 32 bytes for each request of 32 threads.
std::optional<double> bytes_per_access(const MeasuredLaunch& launch) {
  const double requests = count_of(launch, "requests");
  return requests > 0 ? std::optional(count_of(launch, "sectors") / requests) : std::nullopt;
}

/// Whether the threads of a warp access neighboring words, each its own.
bool are_neighbors(const MeasuredLaunch& launch) {
  return std::ranges::all_of(kKinds, [&](std::string_view kind) {
    const auto used =
        launch.metric(fmt::format("smsp__sass_average_data_bytes_per_sector_mem_global_op_{}.ratio", kind));
    return count_of(launch, "requests", kind) == 0 || used.value_or(0) >= kUsedBytes;
  });
}

/// Whether the load and store unit works on global memory more than on shared memory, whose passes are at least its
/// requests.
bool are_most_requests(const MeasuredLaunch& launch) {
  const auto shared = launch.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  return count_of(launch, "requests") >= shared.value_or(0);
}

bool waits_to_issue_accesses(const MeasuredLaunch& launch) {
  const auto stall = top_stall(*launch.trace, *launch.profile);
  return stall && stall->reason == "lg_throttle" && stall->share_percent.value_or(0) >= kStallPercent;
}

/// The units that move the same bytes with wider accesses. A pass of L1 moves up to 4 bytes a thread.
double percent_of_bytes(const MeasuredLaunch& launch, double bytes) {
  constexpr double kBytesOfPass = 4;
  const auto passes = launch.metric("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed");
  return std::max({launch.quantity("dram_sol").value_or(0), launch.quantity("l2_sol").value_or(0),
                   passes.value_or(0) * bytes / kBytesOfPass});
}

std::optional<LaunchProblem> problem_of(const MeasuredLaunch& launch) {
  const auto bytes = bytes_per_access(launch);
  if (!bytes || *bytes > kNarrowBytes || !are_neighbors(launch) || !are_most_requests(launch)) return std::nullopt;
  const double requests = launch.metric("l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed").value_or(0);
  const double moved = percent_of_bytes(launch, *bytes);
  const bool limits = requests >= kBusyPercent && requests > moved;
  if (!limits && !waits_to_issue_accesses(launch)) return std::nullopt;
  const double left = std::max(moved, requests * *bytes / kWidestBytes);
  return LaunchProblem{
      100 - left,
      {bytes_argument("bytes", *bytes), percent_argument("requests", requests), percent_argument("moved", moved)}};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  add_launches(facts, {.id = "kernel_narrow_accesses", .problem = problem_of}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"kernel_narrow_accesses.says",
     "Kernels that the number of their loads and stores limits take {time}: {most}. {it} moves {bytes} per "
     "thread in each access to global memory. The load and store unit is at {requests} of its peak, what moves the "
     "bytes at {moved}."},
    {"kernel_narrow_accesses.do",
     "Load and store 16 bytes per thread in one instruction: float4, int4 or an aligned struct of that size, with "
     "addresses aligned to 16 bytes. Each thread then does the work of several neighbors."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"kernel_narrow_accesses"},
      .reports = "A measured kernel accesses global memory in pieces of few bytes, and their number limits it.",
      .when = fmt::format("An access has at most {:g} bytes per thread. The load and store unit is at {:g} % of its "
                          "peak or more and busier than what moves the bytes, or {:g} % of the warps' time is a wait "
                          "to issue an access (`lg_throttle`).",
                          kNarrowBytes, kBusyPercent, kStallPercent),
      .not_when = "Threads of a warp read the same address, or are not neighbors (`kernel_uncoalesced`). Accesses to "
                  "shared memory are more than those to global memory.",
      .ceiling = fmt::format("What is left with accesses of {:g} bytes: their share of the unit's time, or the time of "
                             "the units that move the bytes.",
                             kWidestBytes),
      .evidence = "The launches that lose the most time."}};
}

}  // namespace
}  // namespace kernel_narrow_accesses_finding

extern const Rule kernel_narrow_accesses_rule;
const Rule kernel_narrow_accesses_rule{.name = "kernel_narrow_accesses",
                                       .description = "measured kernels that the number of small accesses limits",
                                       .fields = kKernelReportFields,
                                       .checks = kKernelReportChecks,
                                       .judge = &kernel_narrow_accesses_finding::judge,
                                       .texts = kernel_narrow_accesses_finding::kTexts,
                                       .docs = &kernel_narrow_accesses_finding::docs,
                                       .fix = FixKind::kernel,
                                       .of_kernel_reports = true,
                                       .claims = ClaimUse::adds};

}  // namespace sonde
