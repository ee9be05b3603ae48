#include "analyses/kernels/kernel_advice.h"

#include <algorithm>
#include <tuple>

#include "analyses/kernels/kernel_bound.h"
#include "analyses/measured/busy_unit.h"

namespace sonde {
namespace {

enum class Relief : uint8_t { anything, warps, traffic, shared, compression, arithmetic };

Relief relief_of(std::string_view rule) {
#define SONDE_ADVICE_RULE(id, relieves) \
  if (rule == (id)) return Relief::relieves;
#include "analyses/kernels/advice_rules.inc"
#undef SONDE_ADVICE_RULE
  return Relief::anything;
}

/// What bounds a kernel, as far as advice depends on it.
struct Limit {
  KernelBound bound = KernelBound::not_collected;
  MemoryPart part = MemoryPart::unknown;
  bool reached = false;  ///< at 80 % of its peak and more: nothing but less work helps
};

Limit limit_of(const Trace& trace, const KernelProfile& kernel) {
  constexpr double kReached = 80;
  Limit limit{.bound = bound_of(trace, kernel)};
  const bool memory = limit.bound == KernelBound::memory;
  const auto unit = memory ? busiest_memory(trace, kernel) : busiest_pipe(trace, kernel);
  if (unit && memory) limit.part = unit->part;
  limit.reached = unit && unit->percent >= kReached;
  return limit;
}

/// What relieves memory: bytes of the part that is busy, or more warps where no unit is at its limit yet.
bool relieves_memory(Relief relief, const Limit& limit) {
  const bool in_sm = limit.part == MemoryPart::shared || limit.part == MemoryPart::l1 ||
                     limit.part == MemoryPart::l1_or_shared || limit.part == MemoryPart::unknown;
  switch (relief) {
    case Relief::traffic: return true;
    case Relief::shared: return in_sm;
    case Relief::compression: return limit.part == MemoryPart::dram;
    case Relief::warps: return !limit.reached;
    default: return false;
  }
}

bool relieves(Relief relief, const Limit& limit) {
  if (relief == Relief::anything) return true;
  switch (limit.bound) {
    case KernelBound::memory: return relieves_memory(relief, limit);
    case KernelBound::compute: return relief == Relief::arithmetic || (relief == Relief::warps && !limit.reached);
    case KernelBound::latency:
    case KernelBound::small_grid: return relief != Relief::compression && relief != Relief::arithmetic;
    case KernelBound::balanced: return relief != Relief::compression;
    case KernelBound::not_collected: return true;
  }
  return true;
}

/// Estimates of unlike scope do not compare: the whole kernel's come first, then local ones, then none.
/// Compression is for memory that is allocated for it.
bool is_last_resort(const RuleResult& rule, const Trace& trace) {
  return rule.id != kNone && relief_of(trace.name(rule.id)) == Relief::compression;
}

std::tuple<int, double> rank_of(const TopAdvice& advice) {
  if (!advice.speedup) return {0, 0};
  return {advice.speedup->scope == EstimatedSpeedup::Scope::global ? 2 : 1, advice.speedup->percent};
}

std::optional<TopAdvice> advice_of(const Trace& trace, const RuleResult& rule) {
  const auto text = std::ranges::find_if(rule.texts, [](const AdviceText& t) {
    return t.kind == AdviceKind::warning || t.kind == AdviceKind::error || t.kind == AdviceKind::optimization;
  });
  if (text == rule.texts.end()) return std::nullopt;
  const NameId titles[] = {text->title, rule.name, rule.id};
  const auto* const title = std::ranges::find_if(titles, [](NameId name) { return name != kNone; });
  TopAdvice advice{title == std::end(titles) ? std::string_view() : trace.name(*title), std::nullopt};
  for (const EstimatedSpeedup& speedup : rule.speedups) {
    if (const TopAdvice other{advice.title, speedup}; rank_of(other) > rank_of(advice)) advice = other;
  }
  return advice;
}

}  // namespace

std::optional<TopAdvice> top_advice(const Trace& trace, const KernelProfile& kernel) {
  const Limit limit = limit_of(trace, kernel);
  std::optional<TopAdvice> top;
  bool last_resort = false;
  for (const RuleResult& rule : kernel.rules) {
    const auto advice = advice_of(trace, rule);
    if (!advice || (rule.id != kNone && !relieves(relief_of(trace.name(rule.id)), limit))) continue;
    const bool last = is_last_resort(rule, trace);
    const bool better = !top || std::tuple(!last, rank_of(*advice)) > std::tuple(!last_resort, rank_of(*top));
    if (!better) continue;
    top = advice;
    last_resort = last;
  }
  return top;
}

}  // namespace sonde
