#include "gate/decide/guard.h"

#include <algorithm>

#include "gate/decide/decision_words.h"

namespace sonde::gate {
namespace {

/// The values that the runs tell; those that do not tell it are passed over.
Names values_in(std::span<const RunRecord> runs, std::string_view condition) {
  Names values;
  for (const RunRecord& run : runs) {
    const auto found = run.conditions.find(condition);
    if (found != run.conditions.end() && !found->second.empty()) values.insert(found->second);
  }
  return values;
}

std::string joined(const Names& values) {
  if (values.empty()) return std::string(word_text("not_known"));
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

bool forbids(Forbids what, MetricKind kind) {
  return what == Forbids::everything || (what == Forbids::timed && kind == MetricKind::timed);
}

}  // namespace

Guard::Guard(const Sides& sides, std::span<const std::string> allowed) {
  for (const ConditionInfo& condition : condition_infos()) {
    add(condition, sides, std::ranges::find(allowed, condition.name) != allowed.end());
  }
  const bool knows_any = std::ranges::any_of(condition_infos(), [&](const ConditionInfo& condition) {
    return condition.forbids != Forbids::nothing && !values_in(sides.changed, condition.name).empty();
  });
  if (!knows_any && !sides.base.empty()) notes_.emplace_back(word_text("no_condition"));
}

void Guard::add(const ConditionInfo& condition, const Sides& sides, bool allowed) {
  const Names base = values_in(sides.base, condition.name);
  const Names changed = values_in(sides.changed, condition.name);
  const bool between = !base.empty() && !changed.empty() && base != changed;
  if (!between && base.size() < 2 && changed.size() < 2) {
    if (!sides.base.empty()) note(condition, base, changed);
    return;
  }
  met_.push_back(
      {.difference = {.condition = &condition, .base = joined(base), .changed = joined(changed), .allowed = allowed},
       .varies_in_base = base.size() > 1,
       .varies_in_changed = changed.size() > 1});
  differences_.push_back(met_.back().difference);
}

/// One side knows it, the other does not.
void Guard::note(const ConditionInfo& condition, const Names& base, const Names& changed) {
  if (base.empty() == changed.empty() || condition.forbids == Forbids::nothing) return;
  notes_.push_back(worded("unknown_condition", fmt::arg("condition", condition.title),
                          fmt::arg("value", joined(base.empty() ? changed : base))));
}

std::optional<Refusal> Guard::refusal(const BudgetRule& rule) const {
  const bool against_base = std::holds_alternative<AllowedChange>(rule.demand);
  for (const Met& met : met_) {
    const ConditionDifference& d = met.difference;
    const bool concerns = against_base || met.varies_in_changed;
    if (d.allowed || !concerns || !forbids(d.condition->forbids, rule.metric->kind)) continue;
    const bool varies = met.varies_in_changed || met.varies_in_base;
    const auto text = [](std::string name, std::string_view value) {
      return Argument{.name = std::move(name), .text = std::string(value)};
    };
    return Refusal{
        .reason = varies ? "condition_varies" : "condition_differs",
        .arguments = {text("condition", d.condition->title), text("name", d.condition->name), text("base", d.base),
                      text("changed", d.changed), text("values", met.varies_in_changed ? d.changed : d.base)}};
  }
  return std::nullopt;
}

bool Guard::allows_times() const {
  return std::ranges::all_of(differences_, [](const ConditionDifference& difference) {
    return difference.allowed || difference.condition->forbids == Forbids::nothing;
  });
}

}  // namespace sonde::gate
