#include "findings/evidence/step_syncs.h"

#include <algorithm>
#include <limits>
#include <map>

#include "analyses/replay/replay.h"
#include "analyses/steps/thread_groups.h"
#include "findings/evidence/host_copies.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// By group of threads (replay.h), in the order of time.
using Steps = std::map<uint32_t, std::vector<Span>>;

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

const Span* step_around(const std::vector<Span>& steps, Span call) {
  const auto next = std::ranges::upper_bound(steps, call.first, {}, &Span::first);
  if (next == steps.begin()) return nullptr;
  const Span& step = *std::prev(next);
  return call.second <= step.second ? &step : nullptr;
}

/// Calls of one group of threads in steps, until it is known whether their step launches work behind them.
class CallsBeforeLaunches {
 public:
  /// Calls and launches come by start. `rows` gets the calls that are followed by a launch in their step.
  void add_call(Row row, int64_t end_ns, const Span& step, std::vector<Row>& rows) {
    waiting_.push_back({row, end_ns, step.second});
    settle(rows);
  }
  void add_launch(int64_t start_ns, std::vector<Row>& rows) {
    launched_ns_ = start_ns;
    settle(rows);
  }

 private:
  struct Waiting {
    Row row;
    int64_t end_ns;
    int64_t step_end_ns;
  };

  void settle(std::vector<Row>& rows) {
    std::erase_if(waiting_, [&](const Waiting& call) {
      if (launched_ns_ < call.end_ns) return false;
      if (launched_ns_ < call.step_end_ns) rows.push_back(call.row);
      return true;
    });
  }

  std::vector<Waiting> waiting_;
  int64_t launched_ns_ = std::numeric_limits<int64_t>::min();  ///< the last launch
};

/// Calls for which `is_asked(row)`, in the order of rows.
template <typename IsAsked>
std::vector<Row> calls_inside_steps(const Facts& facts, const IsAsked& is_asked) {
  std::vector<Row> rows;
  if (!facts.steps || facts.trace.kernels.launch.empty()) return rows;
  const auto group_of = groups_of_threads(facts.trace, facts.gpus);
  const Steps steps = steps_by_group(facts, group_of);
  std::vector<CallsBeforeLaunches> groups(group_of.size() + 1);  // the last of threads without one
  const Calls& api = facts.trace.api;
  for (Row row = 0; row < row_count(api); ++row) {
    if (api.thread[row] >= group_of.size()) continue;
    const uint32_t number = group_of[api.thread[row]];
    CallsBeforeLaunches& group = groups[std::min<size_t>(number, group_of.size())];
    if (facts.api_kinds[row] == ApiKind::launch) group.add_launch(api.start[row], rows);
    if (!is_asked(row)) continue;
    const auto of_group = steps.find(number);
    const Span* const step =
        of_group == steps.end() ? nullptr : step_around(of_group->second, {api.start[row], api.end[row]});
    if (step != nullptr) group.add_call(row, api.end[row], *step, rows);
  }
  std::ranges::sort(rows);
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
  return calls_inside_steps(facts, [&](Row row) { return facts.api_kinds[row] == ApiKind::synchronize; });
}

BlockingCopies blocking_copies_inside_steps(const Facts& facts) {
  BlockingCopies copies;
  const std::vector<bool> blocked = blocked_by_copies(facts);
  const Ids behind = syncs_behind(facts);
  for (const Row row : calls_inside_steps(facts, [&](Row row) { return blocked[row]; })) {
    (behind[row] != kNone ? copies.in_syncs : copies.calls).push_back(row);
  }
  return copies;
}

Ids syncs_behind(const Facts& facts) {
  const Calls& api = facts.trace.api;
  Ids behind(row_count(api), kNone);
  Ids next_sync(facts.trace.threads.size() + 1, kNone);  // by thread; the last of threads that the file does not name
  for (Row row = static_cast<Row>(row_count(api)); row-- > 0;) {
    Row& next = next_sync[std::min<size_t>(api.thread[row], facts.trace.threads.size())];
    behind[row] = next;
    if (facts.api_kinds[row] != ApiKind::other) next = facts.api_kinds[row] == ApiKind::synchronize ? row : kNone;
  }
  return behind;
}

}  // namespace sonde
