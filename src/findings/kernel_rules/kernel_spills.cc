#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "findings/kernel_rules/shared_launch_costs.h"

/// Local memory: registers that the compiler spills, and arrays that it cannot keep in registers. Their loads and
/// stores go through L1 as those of global memory do.
namespace sonde {
namespace kernel_spills_finding {
namespace {

/// A few spills outside of loops cost nothing.
constexpr double kMinPercent = 5;

std::optional<double> sectors_of(const MeasuredLaunch& launch, std::string_view memory) {
  const auto loads = launch.metric(fmt::format("l1tex__t_sectors_pipe_lsu_mem_{}_op_ld.sum", memory));
  const auto stores = launch.metric(fmt::format("l1tex__t_sectors_pipe_lsu_mem_{}_op_st.sum", memory));
  return loads && stores ? std::optional(*loads + *stores) : std::nullopt;
}

/// Of the sectors that L1 looks up for loads and stores.
std::optional<double> local_percent(const MeasuredLaunch& launch) {
  const auto local = sectors_of(launch, "local");
  const auto global = sectors_of(launch, "global");
  if (!local || !global || *local <= 0) return std::nullopt;
  return 100 * *local / (*local + *global);
}

std::optional<LaunchProblem> problem_of(const MeasuredLaunch& launch) {
  const auto share = local_percent(launch);
  if (!share || *share < kMinPercent) return std::nullopt;
  return LaunchProblem{saved_percent(launch, *share),
                       {percent_argument("share", *share),
                        count_argument("registers", launch.quantity("registers_per_thread").value_or(0)),
                        bytes_argument("bytes", 32 * sectors_of(launch, "local").value_or(0))}};
}

/// Reports since 2025 tell spills from arrays; absent in older ones.
std::optional<bool> has_spills(const MeasuredLaunch& launch) {
  const auto requests = launch.quantity("local_spill_requests");
  return requests ? std::optional(*requests > 0) : std::nullopt;
}

std::optional<LaunchProblem> spills_of(const MeasuredLaunch& launch) {
  return has_spills(launch).value_or(false) ? problem_of(launch) : std::nullopt;
}

std::optional<LaunchProblem> local_memory_of(const MeasuredLaunch& launch) {
  return has_spills(launch).value_or(false) ? std::nullopt : problem_of(launch);
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  add_launches(facts, {.id = "kernel_spills", .problem = spills_of}, diagnosis);
  add_launches(facts, {.id = "kernel_local_memory", .problem = local_memory_of}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"kernel_spills.says",
     "Kernels that spill registers to local memory take {time}: {most}. {it} moves {bytes} between local memory and "
     "L1, {share} of the sectors of its loads and stores. It has {registers} registers per thread."},
    {"kernel_spills.do",
     "Use fewer registers at a time: smaller tiles per thread, less unrolling, smaller blocks, or a higher limit "
     "(-maxrregcount, __launch_bounds__). ptxas -v lists the spills of each kernel."},
    {"kernel_local_memory.says",
     "Kernels that use local memory take {time}: {most}. {it} moves {bytes} between local memory and L1, {share} of "
     "the sectors of its loads and stores. It has {registers} registers per thread."},
    {"kernel_local_memory.do",
     "ptxas -v shows whether registers spill. If they do, use smaller tiles per thread, less unrolling, or a higher "
     "limit "
     "(-maxrregcount, __launch_bounds__). If not, an array is indexed by a value that the compiler does not know: "
     "unroll "
     "the loop, or move the array to shared memory."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"kernel_spills", "kernel_local_memory"},
      .reports = "A measured kernel uses local memory, for registers that the compiler spills or for arrays. "
                 "`kernel_spills`: the report counts spills.",
      .when = fmt::format("Local memory has at least {:g} % of the sectors of loads and stores in L1.", kMinPercent),
      .not_when = {},
      .ceiling = "The share of these sectors in the kernel's time, at most what the compute units leave.",
      .evidence = "The launches that lose the most time."}};
}

}  // namespace
}  // namespace kernel_spills_finding

extern const Rule kernel_spills_rule;
const Rule kernel_spills_rule{.name = "kernel_spills",
                              .description = "measured kernels that use local memory",
                              .fields = kKernelReportFields,
                              .checks = kKernelReportChecks,
                              .judge = &kernel_spills_finding::judge,
                              .texts = kernel_spills_finding::kTexts,
                              .docs = &kernel_spills_finding::docs,
                              .fix = FixKind::kernel,
                              .of_kernel_reports = true,
                              .claims = ClaimUse::adds};

}  // namespace sonde
