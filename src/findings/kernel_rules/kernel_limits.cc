#include <array>
#include <set>

#include <fmt/format.h>

#include "analyses/kernels/stall_reasons.h"
#include "findings/kernel_rules/shared_launch_costs.h"

/// What limits the measured kernels of which no other rule explains the time: the memory and which part of it, the
/// compute units and which pipe, or the latency of what their warps wait for.
namespace sonde {
namespace kernel_limits_finding {
namespace {

/// Another finding that saves this part of a launch explains it.
constexpr double kExplained = 0.25;
constexpr int64_t kShortKernelNs = 3'000;  // kernel_empty's

/// Launches that findings with a fix explain.
std::set<const KernelProfile*> explained_by(const Facts& facts, const Claims& claims) {
  std::set<const KernelProfile*> explained;
  for (const MeasuredLaunch& launch : facts.launches) {
    if (launch.duration_ns <= kShortKernelNs) explained.insert(launch.profile);
  }
  for (const LaunchCost& cost : claims.launches) {
    const auto duration = static_cast<double>(cost.duration_ns);
    if (cost.reachable && static_cast<double>(cost.saves_ns) >= kExplained * duration) explained.insert(cost.launch);
  }
  return explained;
}

std::string_view id_of_memory(MemoryPart part) {
  switch (part) {
    case MemoryPart::dram: return "kernel_limit_dram";
    case MemoryPart::l2: return "kernel_limit_l2";
    case MemoryPart::l1:
    case MemoryPart::l1_or_shared: return "kernel_limit_l1";
    case MemoryPart::shared: return "kernel_limit_shared";
    case MemoryPart::host: return "kernel_limit_host";
    case MemoryPart::unknown: break;
  }
  return "kernel_limit_memory";
}

std::string_view id_of_stall(const MeasuredLaunch& launch) {
  const auto stall = top_stall(*launch.trace, *launch.profile);
  if (!stall) return "kernel_latency_unknown";
  for (const std::string_view reason : {"long_scoreboard", "lg_throttle", "tex_throttle", "drain", "imc_miss"}) {
    if (stall->reason == reason) return "kernel_latency_memory";
  }
  for (const std::string_view reason : {"barrier", "membar", "sleeping", "gmma"}) {
    if (stall->reason == reason) return "kernel_latency_barrier";
  }
  return "kernel_latency";
}

bool memory_leads(const MeasuredLaunch& launch) {
  if (launch.bound != KernelBound::balanced) return launch.bound == KernelBound::memory;
  return launch.memory_percent.value_or(0) >= launch.compute_percent.value_or(0);
}

/// Empty where nothing is known, or where kernel_small_grid says it.
std::string_view id_of(const MeasuredLaunch& launch) {
  switch (launch.bound) {
    case KernelBound::memory:
    case KernelBound::compute:
    case KernelBound::balanced:
      return memory_leads(launch) ? id_of_memory(launch.memory ? launch.memory->part : MemoryPart::unknown)
                                  : "kernel_limit_compute";
    case KernelBound::latency: return id_of_stall(launch);
    case KernelBound::small_grid:
    case KernelBound::not_collected: return {};
  }
  return {};
}

std::vector<Argument> figures_of(const MeasuredLaunch& launch) {
  std::vector<Argument> figures = {percent_argument("compute", launch.compute_percent.value_or(0)),
                                   percent_argument("memory", launch.memory_percent.value_or(0))};
  const auto& unit = memory_leads(launch) ? launch.memory : launch.pipe;
  const std::string_view counter = unit ? name_of_counter(unit->counter) : std::string_view();
  figures.push_back(text_argument("unit", std::string(counter.empty() ? "unknown" : counter)));
  if (const auto stall = top_stall(*launch.trace, *launch.profile)) {
    const std::string_view meaning = meaning_of_stall(stall->reason);
    figures.push_back(text_argument("stall", std::string(meaning.empty() ? stall->reason : meaning)));
    figures.push_back(percent_argument("share", stall->share_percent.value_or(0)));
  }
  return figures;
}

constexpr std::array<std::string_view, 7> kLimits = {"kernel_limit_dram",   "kernel_limit_l2",     "kernel_limit_l1",
                                                     "kernel_limit_shared", "kernel_limit_memory", "kernel_limit_host",
                                                     "kernel_limit_compute"};
constexpr std::array<std::string_view, 4> kLatencies = {"kernel_latency", "kernel_latency_memory",
                                                        "kernel_latency_barrier", "kernel_latency_unknown"};

void add_not_collected(const Facts& facts, Diagnosis& diagnosis) {
  const auto missing = std::ranges::count(facts.launches, KernelBound::not_collected, &MeasuredLaunch::bound);
  if (missing == 0) return;
  diagnosis.abstentions.push_back(
      {"kernel_limits", "kernel_limits.not_collected", {count_argument("launches", missing)}});
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const auto explained = explained_by(facts, *diagnosis.earlier);
  const auto problem_of = [&](const MeasuredLaunch& launch, std::string_view id, double saves) {
    if (explained.contains(launch.profile) || id_of(launch) != id) return std::optional<LaunchProblem>();
    return std::optional(LaunchProblem{saves, figures_of(launch)});
  };
  for (const std::string_view id : kLatencies) {
    const auto problem = [&](const MeasuredLaunch& l) { return problem_of(l, id, l.idle_percent().value_or(0)); };
    add_launches(facts, {.id = id, .problem = problem}, diagnosis);
  }
  for (const std::string_view id : kLimits) {
    const auto problem = [&](const MeasuredLaunch& l) { return problem_of(l, id, 100); };
    add_launches(facts, {.id = id, .problem = problem, .reachable = false}, diagnosis);
  }
  add_not_collected(facts, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"kernel_limit_dram.says",
     "Kernels that DRAM limits take {time}: {most}. {it} keeps memory at {memory} of its peak ({unit}) and "
     "compute at {compute}."},
    {"kernel_limit_dram.do",
     "Move fewer bytes: read each value once (keep it in registers or shared memory between passes), fuse the kernel "
     "with "
     "its neighbors, or use a smaller type. More warps or instructions per cycle gain nothing."},
    {"kernel_limit_l2.says",
     "Kernels that L2 limits take {time}: {most}. {it} keeps memory at {memory} of its peak ({unit}) and "
     "compute at {compute}."},
    {"kernel_limit_l2.do",
     "Ask L2 for less: reuse data in registers, L1 or shared memory (tiles), use fewer atomics, and let neighboring "
     "threads access neighboring addresses."},
    {"kernel_limit_l1.says",
     "Kernels that L1 limits take {time}: {most}. {it} keeps memory at {memory} of its peak ({unit}) and "
     "compute at {compute}."},
    {"kernel_limit_l1.do",
     "Issue fewer loads and stores: keep values in registers (larger tiles per thread), load 16 bytes at once "
     "(float4), "
     "and avoid bank conflicts and uncoalesced accesses."},
    {"kernel_limit_shared.says",
     "Kernels that shared memory limits take {time}: {most}. {it} keeps memory at {memory} of its peak ({unit}) and "
     "compute at {compute}."},
    {"kernel_limit_shared.do",
     "Access shared memory less often: keep values in registers (larger tiles per thread), load 16 bytes at once "
     "(float4), use warp shuffles, and avoid bank conflicts."},
    {"kernel_limit_host.says",
     "Kernels that accesses to host memory limit take {time}: {most}. {it} keeps memory at {memory} of its peak "
     "({unit}) and "
     "compute at {compute}."},
    {"kernel_limit_host.do", "Copy the data to the GPU before the kernel, or prefetch managed memory."},
    {"kernel_limit_memory.says",
     "Kernels that memory limits take {time}: {most}. {it} keeps memory at {memory} of its peak and compute at "
     "{compute}."},
    {"kernel_limit_memory.do",
     "Measure which part of the memory it is: ncu --section SpeedOfLight --section MemoryWorkloadAnalysis, or sonde "
     "record "
     "--set full."},
    {"kernel_limit_compute.says",
     "Kernels that the compute units limit take {time}: {most}. {it} keeps compute at {compute} of its peak ({unit}) "
     "and "
     "memory at {memory}."},
    {"kernel_limit_compute.do",
     "Execute fewer instructions on this unit, or use a faster one: tensor cores or a lower precision for matrix "
     "products, "
     "fast math for special functions, fewer index computations, or a library's kernel."},
    {"kernel_latency.says",
     "Kernels that keep neither compute nor memory busy take {time}: {most}. {it} keeps compute at {compute} of its "
     "peak and "
     "memory at {memory}. Its warps are mostly {stall} ({share} of their time)."},
    {"kernel_latency.do",
     "Give each SM more to do in that time: more independent instructions per thread (unrolling), more warps, or fewer "
     "instructions in the longest chain."},
    {"kernel_latency_memory.says",
     "Kernels that keep neither compute nor memory busy take {time}: {most}. {it} keeps compute at {compute} of its "
     "peak and "
     "memory at {memory}. Its warps are mostly {stall} ({share} of their time)."},
    {"kernel_latency_memory.do",
     "Have more loads under way at a time: load several values before the first is used (unrolling, float4), prefetch "
     "the "
     "next tile (cp.async), or run more warps. Keep data that is read again in shared memory or registers."},
    {"kernel_latency_barrier.says",
     "Kernels that keep neither compute nor memory busy take {time}: {most}. {it} keeps compute at {compute} of its "
     "peak and "
     "memory at {memory}. Its warps are mostly {stall} ({share} of their time)."},
    {"kernel_latency_barrier.do",
     "Synchronize less: smaller blocks, warp-level synchronization, double buffers so that one barrier per step is "
     "enough, "
     "and equal work for all warps of a block."},
    {"kernel_latency_unknown.says",
     "Kernels that keep neither compute nor memory busy take {time}: {most}. {it} keeps compute at {compute} of its "
     "peak and "
     "memory at {memory}. What its warps wait for was not collected."},
    {"kernel_latency_unknown.do",
     "Measure what its warps wait for: ncu --section WarpStateStats --section SchedulerStats, or sonde record --set "
     "full."},
    {"kernel_limits.not_collected.says",
     "the utilization of compute and memory of {launches:launch} was not collected; ncu --section SpeedOfLight, or "
     "sonde "
     "record --section SpeedOfLight, collects it"},
});

std::vector<FindingDoc> docs() {
  return {
      FindingDoc{
          .ids = {"kernel_limit_dram", "kernel_limit_l2", "kernel_limit_l1", "kernel_limit_shared",
                  "kernel_limit_memory", "kernel_limit_host", "kernel_limit_compute"},
          .reports = "One unit limits a measured kernel: a part of the memory, or a pipe of the SMs. The unit is the "
                     "busiest of those whose greatest throughput is the speed of light.",
          .when = "Memory or compute is at 80 % of its peak, or at 60 % and leads by 10 points "
                  "([how](kernel_views.md)). L1 at 80 % counts even where the speed of light of memory is low.",
          .not_when = fmt::format("Launches of which another finding saves {:g} % do not count.", 100 * kExplained),
          .ceiling = "The kernels' time: a bound that no fix reaches.",
          .evidence = "The longest launches."},
      FindingDoc{
          .ids = {"kernel_latency", "kernel_latency_memory", "kernel_latency_barrier", "kernel_latency_unknown"},
          .reports = "A measured kernel keeps neither compute nor memory busy. Its warps wait: for memory "
                     "(`_memory`), for each other (`_barrier`), for something else, or it was not collected "
                     "(`_unknown`).",
          .when = "Compute and memory are below 60 % of their peak.",
          .not_when = fmt::format("Launches of which another finding saves {:g} % do not count.", 100 * kExplained),
          .ceiling = "The time until the busiest unit is at its limit.",
          .evidence = "The launches that lose the most time."}};
}

}  // namespace
}  // namespace kernel_limits_finding

extern const Rule kernel_limits_rule;
const Rule kernel_limits_rule{.name = "kernel_limits",
                              .description = "what limits the measured kernels",
                              .fields = kKernelReportFields,
                              .checks = kKernelReportChecks,
                              .judge = &kernel_limits_finding::judge,
                              .texts = kernel_limits_finding::kTexts,
                              .docs = &kernel_limits_finding::docs,
                              .of_kernel_reports = true,
                              .claims = ClaimUse::both};

}  // namespace sonde
