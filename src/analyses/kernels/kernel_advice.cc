#include "analyses/kernels/kernel_advice.h"

#include <algorithm>
#include <tuple>

namespace sonde {
namespace {

/// Estimates of unlike scope do not compare: the whole kernel's come first, then local ones, then none.
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
  std::optional<TopAdvice> top;
  for (const RuleResult& rule : kernel.rules) {
    const auto advice = advice_of(trace, rule);
    if (advice && (!top || rank_of(*advice) > rank_of(*top))) top = advice;
  }
  return top;
}

}  // namespace sonde
