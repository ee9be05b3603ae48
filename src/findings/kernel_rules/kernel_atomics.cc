#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "findings/kernel_rules/shared_launch_costs.h"

/// Atomic operations on global memory that wait for each other in L2: those on one address are done one by one, by the
/// slice of L2 that has it.
namespace sonde {
namespace kernel_atomics_finding {
namespace {

/// A third was seen where all threads add to one float, and nothing else had to wait.
constexpr double kBusyPercent = 20;
constexpr std::string_view kBusiestSlice = "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed";
constexpr std::string_view kSlices = "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed";

/// What the launch is left with if its atomic operations take no time: the units that they do not use.
double other_percent(const MeasuredLaunch& launch) {
  constexpr auto kOthers = std::to_array<std::string_view>(
      {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
       "lts__t_sectors_srcunit_tex_op_read.avg.pct_of_peak_sustained_elapsed",
       "lts__t_sectors_srcunit_tex_op_write.avg.pct_of_peak_sustained_elapsed",
       "sm__instruction_throughput.avg.pct_of_peak_sustained_active",
       "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum.pct_of_peak_sustained_elapsed"});
  double most = 0;
  for (const std::string_view counter : kOthers) most = std::max(most, launch.metric(counter).value_or(0));
  return most;
}

std::optional<LaunchProblem> problem_of(const MeasuredLaunch& launch) {
  const double atomic = launch.metric("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum").value_or(0);
  const double reductions = launch.metric("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum").value_or(0);
  const auto average = launch.metric(kSlices);
  if (!average || atomic + reductions <= 0) return std::nullopt;
  const double busiest = std::max(launch.metric(kBusiestSlice).value_or(0), *average);
  const double others = other_percent(launch);
  if (busiest < kBusyPercent || busiest <= others) return std::nullopt;
  return LaunchProblem{100 - others,
                       {text_argument("requests", rounded_count(atomic + reductions)),
                        percent_argument("busiest", busiest), percent_argument("average", *average)}};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  add_launches(facts, {.id = "kernel_atomics", .problem = problem_of}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"kernel_atomics.says",
     "Kernels that wait for atomic operations on global memory take {time}: {most}. {it} sends {requests} requests of "
     "a warp for them. They keep the busiest slice of L2 at {busiest} of its peak, and all slices at {average} on "
     "average: operations on one address are done one by one."},
    {"kernel_atomics.do",
     "Combine values before the atomic operation: in the warp (__reduce_add_sync, shuffles), then in the block (shared "
     "memory, cub::BlockReduce), and do one per block. For a histogram keep a copy per block in shared memory."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"kernel_atomics"},
      .reports = "Atomic operations of a measured kernel on global memory wait for each other.",
      .when = fmt::format("They keep the busiest slice of L2 at {:g} % of its peak or more "
                          "(`lts__d_atomic_input_cycles_active`), and no other unit is as busy.",
                          kBusyPercent),
      .not_when = {},
      .ceiling = "What DRAM, the other requests to L2 and the instructions leave: the time without these operations.",
      .evidence = "The launches that lose the most time."}};
}

}  // namespace
}  // namespace kernel_atomics_finding

extern const Rule kernel_atomics_rule;
const Rule kernel_atomics_rule{.name = "kernel_atomics",
                               .description = "measured kernels that wait for atomic operations",
                               .fields = kKernelReportFields,
                               .checks = kKernelReportChecks,
                               .judge = &kernel_atomics_finding::judge,
                               .texts = kernel_atomics_finding::kTexts,
                               .docs = &kernel_atomics_finding::docs,
                               .fix = FixKind::kernel,
                               .of_kernel_reports = true,
                               .claims = ClaimUse::adds};

}  // namespace sonde
