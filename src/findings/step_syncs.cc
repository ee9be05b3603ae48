#include "findings/step_syncs.h"

#include <algorithm>
#include <map>

#include "analyses/replay.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// By group of threads (replay.h), in the order of time.
using Steps = std::map<uint32_t, std::vector<Span>>;
using Launches = std::map<uint32_t, std::vector<int64_t>>;

Steps steps_of(const Facts& facts, const std::vector<uint32_t>& group_of) {
  const Ranges& r = facts.trace.ranges;
  Steps steps;
  std::map<NameId, bool> repeats;
  for (Row row = 0; row < row_count(r); ++row) {
    if (r.parent[row] != kNone || r.end[row] == kUnknown) continue;
    // By its middle: steps of other threads begin a little before those that are judged.
    if (!facts.judged(r.start[row] + (r.end[row] - r.start[row]) / 2)) continue;
    const uint32_t group = r.thread[row] < group_of.size() ? group_of[r.thread[row]] : kNone;
    if (group == kNone) continue;
    const auto [known, fresh] = repeats.try_emplace(r.name[row], false);
    if (fresh) known->second = without_numbers(facts.trace.name(r.name[row])) == facts.steps->range;
    if (known->second) steps[group].emplace_back(r.start[row], r.end[row]);
  }
  return steps;
}

Launches launches_of(const Facts& facts, const std::vector<uint32_t>& group_of) {
  const Calls& api = facts.trace.api;
  Launches launches;
  for (Row row = 0; row < row_count(api); ++row) {
    if (facts.api_kinds[row] != ApiKind::launch || api.thread[row] >= group_of.size()) continue;
    launches[group_of[api.thread[row]]].push_back(api.start[row]);
  }
  return launches;
}

const Span* step_around(const std::vector<Span>& steps, Span call) {
  const auto next = std::ranges::upper_bound(steps, call.first, {}, &Span::first);
  if (next == steps.begin()) return nullptr;
  const Span& step = *std::prev(next);
  return call.second <= step.second ? &step : nullptr;
}

}  // namespace

std::vector<Row> syncs_inside_steps(const Facts& facts) {
  std::vector<Row> rows;
  if (!facts.steps || facts.trace.kernels.launch.empty()) return rows;
  const auto group_of = groups_of_threads(facts.trace, facts.gpus);
  const Steps steps = steps_of(facts, group_of);
  const Launches launches = launches_of(facts, group_of);
  const Calls& api = facts.trace.api;
  for (Row row = 0; row < row_count(api); ++row) {
    if (facts.api_kinds[row] != ApiKind::synchronize || api.thread[row] >= group_of.size()) continue;
    const uint32_t group = group_of[api.thread[row]];
    const auto of_group = steps.find(group);
    if (of_group == steps.end() || !launches.contains(group)) continue;
    const Span* step = step_around(of_group->second, {api.start[row], api.end[row]});
    if (step == nullptr) continue;
    const auto next = std::ranges::lower_bound(launches.at(group), api.end[row]);
    if (next != launches.at(group).end() && *next < step->second) rows.push_back(row);
  }
  return rows;
}

}  // namespace sonde
