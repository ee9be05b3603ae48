#include "findings/evidence/host_pauses.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "analyses/calls/api_label.h"
#include "analyses/gpus/idle_time.h"
#include "analyses/gpus/operations_by_start.h"
#include "analyses/ranges/range_label.h"
#include "analyses/steps/range_turns.h"
#include "analyses/steps/thread_groups.h"
#include "base/system/sort_runs.h"
#include "findings/evidence/most_of.h"
#include "trace/columns.h"
#include "trace/rows_by_thread.h"

namespace sonde {
namespace {

/// A stretch of a thread that is at no time for `shortest_ns` outside of operators and calls that hold no others. Those
/// that do hold others count at their begin and at their end.
struct Busy {
  ThreadId thread;
  NameId first;  ///< that it begins with
  NameId last;   ///< that it ends with
  int64_t start_ns;
  int64_t end_ns;
};

bool is_cuda(const Calls& api, Row row) {
  const auto kind = static_cast<CallClass>(api.call_class[row]);
  return kind != CallClass::os && kind != CallClass::syscall && kind != CallClass::overhead;
}

bool is_operator(const Trace& trace, Row row) {
  const Ranges& r = trace.ranges;
  return is_closed(r, row) && trace.domains[r.domain[row]].kind == DomainKind::op;
}

/// What one thread is in, by start.
class ThreadStretches {
 public:
  ThreadStretches(ThreadId thread, int64_t shortest_ns) : thread_(thread), shortest_ns_(shortest_ns) {}

  /// Operators and calls come by start, an outer one before those in it.
  void add(NameId name, int64_t start_ns, int64_t end_ns) {
    close_until(start_ns);
    if (!open_.empty()) {
      Open& outer = open_.back();
      if (!outer.holds_others) add_busy(outer.name, outer.start_ns, outer.start_ns);
      outer.holds_others = true;
    }
    open_.push_back({name, start_ns, end_ns});
  }
  [[nodiscard]] const std::vector<Busy>& all() {
    close_until(std::numeric_limits<int64_t>::max());
    return stretches_;
  }

 private:
  struct Open {
    NameId name;
    int64_t start_ns;
    int64_t end_ns;
    bool holds_others = false;
  };

  void close_until(int64_t time_ns) {
    while (!open_.empty() && open_.back().end_ns <= time_ns) {
      const Open& done = open_.back();
      add_busy(done.name, done.holds_others ? done.end_ns : done.start_ns, done.end_ns);
      open_.pop_back();
    }
  }

  void add_busy(NameId name, int64_t start_ns, int64_t end_ns) {
    if (stretches_.empty() || start_ns < stretches_.back().start_ns ||
        start_ns - stretches_.back().end_ns >= shortest_ns_) {
      stretches_.push_back({thread_, name, name, start_ns, end_ns});
    } else if (end_ns > stretches_.back().end_ns) {
      stretches_.back().end_ns = end_ns;
      stretches_.back().last = name;
    }
  }

  ThreadId thread_;
  int64_t shortest_ns_;
  std::vector<Open> open_;
  std::vector<Busy> stretches_;
};

/// What the threads of each group are in, by start.
std::vector<std::vector<Busy>> stretches_by_group(const Facts& facts, const std::vector<uint32_t>& group_of,
                                                  int64_t shortest_ns) {
  const Ranges& r = facts.trace.ranges;
  const Calls& api = facts.trace.api;
  const RowsByThread ranges(r.thread, group_of.size());
  const RowsByThread calls(api.thread, group_of.size());
  std::vector<std::vector<Busy>> groups(group_of.size());
  for (ThreadId thread = 0; thread < group_of.size(); ++thread) {
    if (group_of[thread] == kNone) continue;
    ThreadStretches stretches(thread, shortest_ns);
    auto call = calls.rows_of(thread).begin();
    const auto add_calls_until = [&](int64_t time_ns) {
      for (; call != calls.rows_of(thread).end() && api.start[*call] < time_ns; ++call) {
        if (is_cuda(api, *call)) stretches.add(api.name[*call], api.start[*call], api.end[*call]);
      }
    };
    for (const Row row : ranges.rows_of(thread)) {
      if (!is_operator(facts.trace, row)) continue;
      add_calls_until(r.start[row]);
      stretches.add(r.name[row], r.start[row], r.end[row]);
    }
    add_calls_until(std::numeric_limits<int64_t>::max());
    std::vector<Busy>& group = groups[group_of[thread]];
    group.insert(group.end(), stretches.all().begin(), stretches.all().end());
  }
  for (std::vector<Busy>& group : groups) sort_runs(group, &Busy::start_ns);
  return groups;
}

/// A pause of a millisecond or more that is worth a finding leaves the GPU idle for about as long.
constexpr int64_t kLongIdleNs = 500'000;

/// Whether the GPUs are idle for long so many times, and for enough time.
bool gpus_are_idle(const Facts& facts, size_t times) {
  int64_t idle_ns = 0;
  size_t found = 0;
  const auto add = [&](int64_t from, int64_t until) {
    if (until - from < kLongIdleNs) return;
    idle_ns += until - from;
    ++found;
  };
  std::vector<int64_t> busy_until(facts.gpus.gpus.size(), facts.extent.first);
  for_each_operation_by_start(facts.trace, [&](const GpuOps& ops, Row row) {
    int64_t& until = busy_until[facts.gpus.of_stream[ops.stream[row]]];
    add(until, std::min(ops.start[row], facts.extent.second));
    until = std::max(until, ops.end[row]);
  });
  for (const int64_t until : busy_until) add(until, facts.extent.second);
  return found >= times && facts.percent_of_wall(facts.per_gpu(idle_ns)) >= kWorthPercent;
}

}  // namespace

std::vector<HostPause> host_pauses(const Facts& facts, size_t least, int64_t shortest_ns) {
  if (!gpus_are_idle(facts, least)) return {};
  std::vector<HostPause> pauses;
  for (const auto& group : stretches_by_group(facts, groups_of_threads(facts.trace, facts.gpus), shortest_ns)) {
    const Busy* last = nullptr;  // of those that have begun, the one that ends last
    for (const Busy& busy : group) {
      if (last != nullptr && busy.start_ns - last->end_ns >= shortest_ns && facts.judged_on_host(last->end_ns)) {
        pauses.push_back({busy.thread, last->last, busy.first, last->end_ns, busy.start_ns});
      }
      if (last == nullptr || busy.end_ns > last->end_ns) last = &busy;
    }
  }
  sort_runs(pauses, &HostPause::start_ns);
  return pauses;
}

std::string places_of(const Facts& facts, const std::vector<HostPause>& pauses) {
  std::map<std::string, int64_t> by_place;
  for (const HostPause& pause : pauses) {
    const auto label = [&](NameId name) { return without_numbers(api_label(facts.trace.name(name))); };
    by_place[fmt::format("{} and {}", label(pause.before), label(pause.after))] += pause.length_ns();
  }
  return most_of(by_place);
}

std::vector<Evidence> evidence_of(const Facts& facts, std::vector<HostPause> pauses) {
  std::ranges::stable_sort(pauses, std::greater(), &HostPause::length_ns);
  pauses.resize(std::min(pauses.size(), kMaxEvidence));
  std::vector<Evidence> evidence;
  for (const HostPause& pause : pauses) {
    evidence.push_back({pause.start_ns, pause.end_ns, fmt::format("thread {}", facts.trace.threads[pause.thread].tid),
                        fmt::format("the pause before {}", api_label(facts.trace.name(pause.after)))});
  }
  return evidence;
}

std::vector<Cut> cuts_of(const std::vector<HostPause>& pauses) {
  std::vector<Cut> cuts;
  for (const HostPause& pause : pauses)
    cuts.push_back({.thread = pause.thread, .start_ns = pause.start_ns, .end_ns = pause.end_ns, .between_calls = true});
  return cuts;
}

void claim_pauses(const Facts& facts, const std::vector<HostPause>& pauses, Claims& claims) {
  const std::vector<uint32_t> groups = groups_of_threads(facts.trace, facts.gpus);
  std::map<uint32_t, std::vector<Span>> of_group;
  for (const HostPause& pause : pauses) {
    of_group[groups[pause.thread]].emplace_back(pause.start_ns, pause.end_ns);
    claims.pauses.emplace_back(pause.start_ns, pause.end_ns);
  }
  for (auto& [group, spans] : of_group) merge_spans(spans);
  for_each_idle_piece(facts.trace, facts.gpus, facts.extent, [&](const IdlePiece& piece) {
    if (piece.thread >= groups.size()) return;
    const std::vector<Span>& spans = of_group[groups[piece.thread]];
    const auto next = std::ranges::upper_bound(spans, piece.start_ns, {}, &Span::first);
    if (next != spans.begin() && piece.start_ns < std::prev(next)->second) {
      claims.idle[piece.gpu].emplace_back(piece.start_ns, piece.end_ns);
    }
  });
}

}  // namespace sonde
