#include "gate/decide/repeated.h"

#include <algorithm>

namespace sonde::gate {
namespace {

bool same_times(const GpuOfRun& a, const GpuOfRun& b) {
  return a.busy_ns == b.busy_ns && a.step_busy_ns == b.step_busy_ns;
}

bool same_work(const WorkGroup& a, const WorkGroup& b) {
  return a.name == b.name && a.module == b.module && a.duration_ns == b.duration_ns &&
         a.step_duration_ns == b.step_duration_ns;
}

bool same_run(const RunRecord& a, const RunRecord& b) {
  const bool has_times = a.wall_ns > 0 && !a.work.empty();
  return has_times && a.wall_ns == b.wall_ns && a.extent_ns == b.extent_ns && a.avg_kernel_ns == b.avg_kernel_ns &&
         a.step_ns == b.step_ns && std::ranges::equal(a.gpus, b.gpus, same_times) &&
         std::ranges::equal(a.work, b.work, same_work);
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
