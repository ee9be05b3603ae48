#include "gate/decide/repeated.h"

#include <algorithm>

#include "gate/record/record_json.h"

namespace sonde::gate {
namespace {

/// All that was measured, without what the run is called and was made on.
std::string measured(RunRecord run) {
  run.source.clear();
  run.conditions.clear();
  return record_json(run);
}

bool same_run(const RunRecord& a, const RunRecord& b) {
  const bool has_times = a.wall_ns > 0 && !a.work.empty();
  return has_times && a.wall_ns == b.wall_ns && a.step_ns == b.step_ns && measured(a) == measured(b);
}

struct Pair {
  const RunRecord* first;
  const RunRecord* second;
};

std::optional<Pair> across(const Sides& sides) {
  for (const RunRecord& base : sides.base) {
    const auto found = std::ranges::find_if(sides.changed, [&](const RunRecord& run) { return same_run(base, run); });
    if (found != sides.changed.end()) return Pair{&base, &*found};
  }
  return std::nullopt;
}

std::optional<Pair> within(std::span<const RunRecord> runs) {
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto rest = runs.subspan(i + 1);
    const auto found = std::ranges::find_if(rest, [&](const RunRecord& run) { return same_run(runs[i], run); });
    if (found != rest.end()) return Pair{&runs[i], &*found};
  }
  return std::nullopt;
}

Refusal refusal_of(std::string_view reason, const Pair& pair) {
  return {
      .reason = reason,
      .arguments = {{.name = "first", .text = pair.first->source}, {.name = "second", .text = pair.second->source}}};
}

}  // namespace

std::optional<RepeatedRun> repeated_run(const Sides& sides) {
  if (const auto pair = across(sides)) return RepeatedRun{refusal_of("same_run_on_both_sides", *pair), true};
  for (const auto& runs : {sides.base, sides.changed}) {
    if (const auto pair = within(runs)) return RepeatedRun{refusal_of("same_run_twice", *pair), false};
  }
  return std::nullopt;
}

bool spoils(const RepeatedRun& repeated, const BudgetRule& rule) {
  if (!std::holds_alternative<AllowedChange>(rule.demand)) return false;
  return repeated.on_both_sides || rule.metric->kind == MetricKind::timed;
}

}  // namespace sonde::gate
