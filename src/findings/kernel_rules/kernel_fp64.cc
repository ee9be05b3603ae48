#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "findings/kernel_rules/shared_launch_costs.h"

/// FP64 arithmetic that limits a kernel: its pipe is the busiest, or the conversions between FP64 and FP32 are, which
/// is what a literal without f makes of FP32 arithmetic.
namespace sonde {
namespace kernel_fp64_finding {
namespace {

constexpr double kBusyPercent = 50;
/// Of all instructions: fewer conversions do not keep their pipe busy.
constexpr double kMinConversions = 0.1;
constexpr double kUsualRatio = 2;

double fp64_instructions(const OpcodeCounts& opcodes) {
  double sum = 0;
  for (const std::string_view opcode : {"DADD", "DMUL", "DFMA", "DSETP", "DMNMX"}) sum += opcodes.of(opcode);
  return sum;
}

/// A fix does the same in FP32, whose pipe is faster by the GPU's ratio.
std::optional<LaunchProblem> by_arithmetic(const MeasuredLaunch& launch) {
  const auto busy = launch.quantity("fp64_utilization");
  const auto compute = launch.compute_percent;
  if (!busy || !compute || *busy < kBusyPercent || launch.bound == KernelBound::memory) return std::nullopt;
  if (!launch.pipe || launch.pipe->counter != "sm__pipe_fp64_cycles_active") return std::nullopt;
  const double ratio = launch.metric("device__attribute_single_to_double_precision_perf_ratio").value_or(kUsualRatio);
  const double left = std::max(*busy / std::max(ratio, 1.0), launch.memory_percent.value_or(0));
  return LaunchProblem{100 - left, {percent_argument("busy", *busy), count_argument("ratio", ratio)}};
}

/// Without the conversions and the FP64 instructions the others are left to issue, and the memory traffic.
std::optional<LaunchProblem> by_conversions(const MeasuredLaunch& launch) {
  if (!launch.pipe || launch.pipe->counter != "sm__inst_executed_pipe_xu" || launch.pipe->percent < kBusyPercent) {
    return std::nullopt;
  }
  const OpcodeCounts opcodes(*launch.trace, *launch.profile);
  const double conversions = opcodes.of("F2F");
  const double fp64 = fp64_instructions(opcodes);
  if (opcodes.all() <= 0 || fp64 <= 0 || conversions < kMinConversions * opcodes.all()) return std::nullopt;
  const double others = (opcodes.all() - conversions - fp64) / opcodes.all();
  const double issue = launch.metric("sm__issue_active.avg.pct_of_peak_sustained_elapsed").value_or(0);
  const double left = std::max(others * issue, launch.memory_percent.value_or(0));
  return LaunchProblem{100 - left,
                       {text_argument("conversions", rounded_count(conversions)),
                        text_argument("fp64", rounded_count(fp64)), percent_argument("busy", launch.pipe->percent)}};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  add_launches(facts, {.id = "kernel_fp64", .problem = by_arithmetic}, diagnosis);
  add_launches(facts, {.id = "kernel_fp64_conversions", .problem = by_conversions}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"kernel_fp64.says",
     "Kernels that FP64 arithmetic limits take {time}: {most}. {it} keeps the FP64 pipe at {busy} of its peak. FP32 "
     "is {ratio} times as fast on this GPU."},
    {"kernel_fp64.do",
     "Compute in FP32 where the result allows it (literals with f, float functions such as sinf), or keep only sums in "
     "FP64."},
    {"kernel_fp64_conversions.says",
     "Kernels that conversions between FP64 and FP32 limit take {time}: {most}. {it} executes {conversions} "
     "conversions (F2F) for {fp64} FP64 instructions and keeps the conversion pipe at {busy} of its peak."},
    {"kernel_fp64_conversions.do",
     "FP32 values are computed in FP64: look for literals without f (1.0 instead of 1.0f) and double functions (sin "
     "instead of sinf). nvcc -Xptxas --warn-on-double-precision-use names the functions."},
});

std::vector<FindingDoc> docs() {
  return {
      FindingDoc{.ids = {"kernel_fp64"},
                 .reports = "FP64 arithmetic limits a measured kernel.",
                 .when = fmt::format("The FP64 pipe is the busiest pipe, at {:g} % of its peak or more.", kBusyPercent),
                 .not_when = "Kernels that memory limits do not count.",
                 .ceiling = "The time with the same arithmetic in FP32, at the GPU's ratio, or of the memory traffic.",
                 .evidence = "The launches that lose the most time."},
      FindingDoc{.ids = {"kernel_fp64_conversions"},
                 .reports = "Conversions between FP64 and FP32 limit a measured kernel.",
                 .when = fmt::format("The pipe of conversions is the busiest, at {:g} % of its peak or more, and at "
                                     "least {:g} % of the instructions are conversions (F2F).",
                                     kBusyPercent, 100 * kMinConversions),
                 .not_when = {},
                 .ceiling = "The time to issue all other instructions, or of the memory traffic.",
                 .evidence = "The launches that lose the most time."}};
}

}  // namespace
}  // namespace kernel_fp64_finding

extern const Rule kernel_fp64_rule;
const Rule kernel_fp64_rule{.name = "kernel_fp64",
                            .description = "measured kernels that FP64 arithmetic limits",
                            .fields = kKernelReportFields,
                            .checks = kKernelReportChecks,
                            .judge = &kernel_fp64_finding::judge,
                            .texts = kernel_fp64_finding::kTexts,
                            .docs = &kernel_fp64_finding::docs,
                            .fix = FixKind::kernel,
                            .of_kernel_reports = true,
                            .claims = ClaimUse::adds};

}  // namespace sonde
