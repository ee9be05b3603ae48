#include "findings/evidence/step_syncs.h"

#include <algorithm>
#include <map>

#include "analyses/replay/replay.h"
#include "analyses/steps/thread_groups.h"
#include "findings/evidence/host_copies.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// By group of threads (replay.h), in the order of time.
using Steps = std::map<uint32_t, std::vector<Span>>;
using Launches = std::map<uint32_t, std::vector<int64_t>>;

Steps steps_by_group(const Facts& facts, const std::vector<uint32_t>& group_of) {
  if (facts.steps->thread != kNone) return {{group_of[facts.steps->thread], facts.steps->steady}};
  const Ranges& r = facts.trace.ranges;
  Steps steps;
  std::map<NameId, bool> repeats;
  for (Row row = 0; row < row_count(r); ++row) {
    if (r.end[row] == kUnknown) continue;
    // By its middle: steps of other threads begin a little before those that are judged.
    if (!facts.judged_on_host(r.start[row] + (r.end[row] - r.start[row]) / 2)) continue;
    const uint32_t group = r.thread[row] < group_of.size() ? group_of[r.thread[row]] : kNone;
    if (group == kNone) continue;
    const auto [known, fresh] = repeats.try_emplace(r.name[row], false);
    if (fresh) known->second = without_numbers(facts.trace.name(r.name[row])) == facts.steps->range;
    if (known->second) steps[group].emplace_back(r.start[row], r.end[row]);
  }
  return steps;
}

Launches launches_by_group(const Facts& facts, const std::vector<uint32_t>& group_of) {
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

/// Calls that `asked` names.
std::vector<Row> calls_inside_steps(const Facts& facts, const std::vector<bool>& asked) {
  std::vector<Row> rows;
  if (!facts.steps || facts.trace.kernels.launch.empty() || std::ranges::find(asked, true) == asked.end()) return rows;
  const auto group_of = groups_of_threads(facts.trace, facts.gpus);
  const Steps steps = steps_by_group(facts, group_of);
  const Launches launches = launches_by_group(facts, group_of);
  const Calls& api = facts.trace.api;
  for (Row row = 0; row < row_count(api); ++row) {
    if (!asked[row] || api.thread[row] >= group_of.size()) continue;
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

/// For each row of `api`, whether it made a copy or a set and returned only when that was over.
std::vector<bool> blocked_by_copies(const Facts& facts) {
  const Trace& trace = facts.trace;
  std::vector<bool> blocked(row_count(trace.api), false);
  const auto look_at = [&](const GpuOps& ops, auto reads_pageable) {
    for (Row row = 0; row < ops.launch.size(); ++row) {
      const Row call = ops.launch[row];
      if (call == kNone || reads_pageable(row) || trace.api.end[call] < ops.end[row]) continue;
      const bool copies =
          facts.api_kinds[call] == ApiKind::copy_async || facts.api_kinds[call] == ApiKind::copy_blocking;
      blocked[call] = copies && trace.api.end[call] - trace.api.start[call] > kCopyCallNs;
    }
  };
  const Copies& c = trace.copies;
  look_at(c, [&](Row row) { return c.source[row] == static_cast<uint8_t>(MemoryKind::pageable); });
  look_at(trace.sets, [](Row) { return false; });
  return blocked;
}

}  // namespace

std::vector<Row> syncs_inside_steps(const Facts& facts) {
  std::vector<bool> syncs;
  for (const ApiKind kind : facts.api_kinds) syncs.push_back(kind == ApiKind::synchronize);
  return calls_inside_steps(facts, syncs);
}

BlockingCopies blocking_copies_inside_steps(const Facts& facts) {
  BlockingCopies copies;
  const Ids behind = syncs_behind(facts);
  for (const Row row : calls_inside_steps(facts, blocked_by_copies(facts))) {
    (behind[row] != kNone ? copies.in_syncs : copies.calls).push_back(row);
  }
  return copies;
}

Ids syncs_behind(const Facts& facts) {
  const Calls& api = facts.trace.api;
  Ids behind(row_count(api), kNone);
  std::map<ThreadId, Row> next_sync;
  for (Row row = static_cast<Row>(row_count(api)); row-- > 0;) {
    Row& next = next_sync.try_emplace(api.thread[row], kNone).first->second;
    behind[row] = next;
    if (facts.api_kinds[row] != ApiKind::other) next = facts.api_kinds[row] == ApiKind::synchronize ? row : kNone;
  }
  return behind;
}

}  // namespace sonde
