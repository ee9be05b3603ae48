#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "analyses/gpus/memory_use.h"
#include "findings/rule.h"

/// Device memory in use that grows from the end of one step to the end of the next, or that is nearly all of the GPU's.
/// Neither takes time yet: the ceiling is 0, and what the finding says is when the memory is full.
namespace sonde {
namespace {

/// The slope counts where it is so many times its standard error: 1 in 10,000 lines through noise alone.
constexpr double kClearly = 4;
/// Of the memory in use at the end, over all judged steps: what an allocator keeps in reserve does not count.
constexpr double kLeastGrowth = 0.01;
/// A leak grows in most steps; a buffer that became larger once does not.
constexpr double kLeastGrowingSteps = 0.5;
constexpr double kNearlyFull = 0.9;
constexpr size_t kFewestSteps = 8;

struct Growth {
  double bytes_per_step = 0;
  int64_t first = 0;  ///< in use at the end of the first judged step
  int64_t last = 0;
};

bool grows(const Growth& growth, const LinearTrend& trend, size_t growing, size_t steps) {
  const double over_all = growth.bytes_per_step * static_cast<double>(steps - 1);
  return trend.slope > kClearly * trend.standard_error && over_all >= kLeastGrowth * static_cast<double>(growth.last) &&
         static_cast<double>(growing) >= kLeastGrowingSteps * static_cast<double>(steps - 1);
}

std::optional<Growth> growth_of(const MemoryUse& use, const std::vector<Span>& steps) {
  if (steps.size() < kFewestSteps) return std::nullopt;
  const LinearTrend trend = growth_per_step(use, steps);
  size_t growing = 0;
  for (size_t i = 1; i < steps.size(); ++i) growing += use.at(steps[i].second) > use.at(steps[i - 1].second) ? 1 : 0;
  const Growth growth{trend.slope, use.at(steps.front().second), use.at(steps.back().second)};
  return grows(growth, trend, growing, steps.size()) ? std::optional(growth) : std::nullopt;
}

std::optional<int64_t> total_of(const Facts& facts, const MemoryUse& use) {
  return use.device == kNone ? std::nullopt : facts.trace.devices[use.device].total_memory_bytes;
}

/// "full in 312 more steps".
std::string when_full(const Growth& growth, std::optional<int64_t> total) {
  if (!total) return "the profile does not tell how much the GPU has";
  const double steps = static_cast<double>(*total - growth.last) / growth.bytes_per_step;
  return fmt::format("full in {:.0f} more steps", std::max(0.0, std::ceil(steps)));
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (facts.trace.allocations.start.empty()) return;
  for (const MemoryUse& use : memory_uses(facts.trace)) {
    if (use.gpu.empty()) continue;
    const auto total = total_of(facts, use);
    const auto growth = facts.steps ? growth_of(use, facts.steps->steady) : std::nullopt;
    if (growth) {
      diagnosis.findings.push_back({.id = "memory_growth",
                                    .arguments = {{"gpu", Unit::none, 0, use.gpu},
                                                  {"step", Unit::bytes, growth->bytes_per_step, {}},
                                                  {"first", Unit::bytes, static_cast<double>(growth->first), {}},
                                                  {"last", Unit::bytes, static_cast<double>(growth->last), {}},
                                                  {"full", Unit::none, 0, when_full(*growth, total)}},
                                    .takes_time = false});
    }
    const int64_t peak = peak_of(use).bytes;
    if (total && static_cast<double>(peak) >= kNearlyFull * static_cast<double>(*total)) {
      diagnosis.findings.push_back({.id = "memory_full",
                                    .arguments = {{"gpu", Unit::none, 0, use.gpu},
                                                  {"peak", Unit::bytes, static_cast<double>(peak), {}},
                                                  {"total", Unit::bytes, static_cast<double>(*total), {}}},
                                    .takes_time = false});
    }
  }
}

}  // namespace

extern const Rule memory_growth_rule;
const Rule memory_growth_rule{"memory_growth",
                              "GPU memory that grows from step to step, or is nearly full",
                              kGpuWork | Fields{Field::streams, Field::allocations, Field::ranges},
                              {Check::past_warm_up},
                              &judge};

}  // namespace sonde
