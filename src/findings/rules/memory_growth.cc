#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "analyses/gpus/memory_use.h"
#include "findings/rule.h"

/// Device memory in use that grows from the end of one step to the end of the next. It takes no time yet: the ceiling
/// is 0, and the finding says when the memory will be full.
namespace sonde {
namespace memory_growth_finding {
namespace {

/// The smallest slope that counts, in its standard errors: 1 in 10,000 lines through noise alone.
constexpr double kMinStandardErrors = 4;
/// Of the memory in use at the end, over all judged steps: what an allocator keeps in reserve does not count.
constexpr double kMinGrowth = 0.01;
/// A leak grows in most steps; a buffer that became larger once does not.
constexpr double kMinGrowingSteps = 0.5;
constexpr size_t kMinSteps = 8;

struct Growth {
  double bytes_per_step = 0;
  int64_t first = 0;  ///< in use at the end of the first judged step
  int64_t last = 0;
};

bool grows(const Growth& growth, const LinearTrend& trend, size_t growing, size_t steps) {
  const double over_all = growth.bytes_per_step * static_cast<double>(steps - 1);
  return trend.slope > kMinStandardErrors * trend.standard_error &&
         over_all >= kMinGrowth * static_cast<double>(growth.last) &&
         static_cast<double>(growing) >= kMinGrowingSteps * static_cast<double>(steps - 1);
}

std::optional<Growth> growth_of(const MemoryUse& use, const std::vector<Span>& steps) {
  if (steps.size() < kMinSteps) return std::nullopt;
  const LinearTrend trend = growth_per_step(use, steps);
  size_t growing = 0;
  for (size_t i = 1; i < steps.size(); ++i) growing += use.at(steps[i].second) > use.at(steps[i - 1].second) ? 1 : 0;
  const Growth growth{trend.slope, use.at(steps.front().second), use.at(steps.back().second)};
  return grows(growth, trend, growing, steps.size()) ? std::optional(growth) : std::nullopt;
}

std::optional<int64_t> total_of(const Facts& facts, const MemoryUse& use) {
  return use.device == kNone ? std::nullopt : facts.trace.devices[use.device].total_memory_bytes;
}

/// "full after 312 more steps".
std::string when_full(const Growth& growth, std::optional<int64_t> total) {
  if (!total) return "the profile does not show the size of the GPU's memory";
  const double steps = static_cast<double>(*total - growth.last) / growth.bytes_per_step;
  return fmt::format("full after {:.0f} more steps", std::max(0.0, std::ceil(steps)));
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (facts.trace.allocations.start.empty()) return;
  for (const MemoryUse& use : memory_uses(facts.trace)) {
    if (use.gpu.empty()) continue;
    const auto total = total_of(facts, use);
    const auto growth = facts.steps ? growth_of(use, facts.steps->steady) : std::nullopt;
    if (growth) {
      diagnosis.findings.push_back(
          {.id = "memory_growth",
           .arguments = {text_argument("gpu", use.gpu), bytes_argument("step", growth->bytes_per_step),
                         bytes_argument("first", growth->first), bytes_argument("last", growth->last),
                         text_argument("full", when_full(*growth, total))},
           .takes_time = false});
    }
  }
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"memory_growth.says", "Memory in use on {gpu} grows by {step} per step, from {first} to {last} ({full})."},
    {"memory_growth.do",
     "Find the objects that are kept: torch.cuda.memory._record_memory_history, nsys --cuda-memory-usage=true. Common "
     "causes are losses summed as tensors (use .item() or .detach()), outputs kept in a list, and graphs kept by "
     "retain_graph=True; in C++, a cudaMalloc without its cudaFree."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"memory_growth"},
      .reports = "Memory in use on a GPU grows from step to step. The finding says when it will be full.",
      .when = fmt::format("Memory grows in at least {:g} % of the steps, and by at least {:g} % over all of them. The "
                          "slope is above {:g} times its standard error.",
                          100 * kMinGrowingSteps, 100 * kMinGrowth, kMinStandardErrors),
      .not_when = fmt::format("The finding needs at least {} steps, and memory usage in the profile.", kMinSteps),
      .ceiling = "0: it costs no time yet.",
      .evidence = {},
      .min_percent = 0}};
}

}  // namespace
}  // namespace memory_growth_finding

extern const Rule memory_growth_rule;
const Rule memory_growth_rule{.name = "memory_growth",
                              .description = "GPU memory that grows from step to step",
                              .fields = kGpuWork | Fields{Field::streams, Field::allocations, Field::ranges},
                              .checks = {Check::past_warm_up},
                              .judge = &memory_growth_finding::judge,
                              .texts = memory_growth_finding::kTexts,
                              .docs = &memory_growth_finding::docs};

}  // namespace sonde
