#include "analyses/steps/thread_times.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "analyses/calls/api_kind.h"
#include "analyses/calls/os_call_kind.h"
#include "analyses/ranges/range_label.h"
#include "trace/columns.h"
#include "trace/rows_by_thread.h"

namespace sonde {
namespace {

constexpr uint8_t kAbsentCode = 255;

/// A traced call of a thread.
struct Call {
  int64_t start;
  int64_t end;
  NameId name;
  bool waits;
};

/// The calls of each thread, in the order of start and outer ones first.
std::vector<std::vector<Call>> calls_by_thread(const Trace& trace) {
  std::vector<std::vector<Call>> of_thread(trace.threads.size());
  const auto add = [&](const Calls& calls, auto waits) {
    for (Row row = 0; row < row_count(calls); ++row) {
      if (calls.thread[row] >= of_thread.size() || calls.end[row] == kUnknown) continue;
      of_thread[calls.thread[row]].push_back({calls.start[row], calls.end[row], calls.name[row], waits(row)});
    }
  };
  const auto api = api_kinds(trace);
  add(trace.api, [&](Row row) { return api[row] == ApiKind::synchronize || api[row] == ApiKind::copy_blocking; });
  add(trace.library_calls, [](Row) { return false; });
  const auto os = os_call_kinds(trace);
  add(trace.os_calls, [&](Row row) { return info_of(os[row]).waits; });
  for (auto& calls : of_thread) {
    std::ranges::stable_sort(calls, {}, [](const Call& c) { return std::pair(c.start, -c.end); });
  }
  return of_thread;
}

/// Calls `f(span, name)` for each piece of time, in order, with the innermost call in it: of those that run, the one
/// that began last.
template <typename F>
void for_each_innermost(const std::vector<Call>& calls, F&& f) {
  std::vector<Call> open;
  int64_t now = std::numeric_limits<int64_t>::min();
  const auto advance = [&](int64_t until) {
    while (!open.empty()) {
      const int64_t end = std::min(open.back().end, until);
      if (now < end) f(Span{now, end}, open.back().name);
      now = std::max(now, end);
      if (open.back().end > until) return;
      open.pop_back();
    }
  };
  for (const Call& call : calls) {
    advance(call.start);
    now = call.start;
    open.push_back(call);
  }
  advance(std::numeric_limits<int64_t>::max());
}

/// The part of disjoint spans, sorted, that lies in spans which come in the order of time.
class Overlap {
 public:
  explicit Overlap(const std::vector<Span>& spans) : spans_(spans) {}
  int64_t with(Span span) {
    while (next_ < spans_.size() && spans_[next_].second <= span.first) ++next_;
    int64_t ns = 0;
    for (size_t i = next_; i < spans_.size() && spans_[i].first < span.second; ++i) {
      ns += std::min(spans_[i].second, span.second) - std::max(spans_[i].first, span.first);
    }
    return ns;
  }

 private:
  const std::vector<Span>& spans_;
  size_t next_ = 0;
};

void set_blocked_in(const std::vector<Call>& calls, const std::vector<Span>& blocked, ThreadTime& time) {
  std::map<NameId, int64_t> by_name;
  Overlap overlap(blocked);
  for_each_innermost(calls, [&](Span span, NameId name) { by_name[name] += overlap.with(span); });
  for (const auto& [name, ns] : by_name) {
    if (ns <= time.blocked_in_ns) continue;
    time.blocked_in = name;
    time.blocked_in_ns = ns;
  }
}

/// Whether a thread that was taken off its core could have gone on: ENUM_SAMPLING_THREAD_STATE still says running.
bool is_preempted(const Switches& s, Row row) {
  return !s.state.empty() && s.state[row] == static_cast<uint8_t>(ThreadState::running);
}

/// Recorders that know no states write unknown for all but the end of a thread.
bool has_state(const Switches& s, Row row) {
  if (s.state.empty() || s.state[row] == kAbsentCode) return false;
  const auto state = static_cast<ThreadState>(s.state[row]);
  return state != ThreadState::unknown && state != ThreadState::terminated;
}

/// Calls `f(switch or kNone, span, on core)` for each piece of a thread's time, cut at its switches. A thread that is
/// taken off a core first was on that core from the beginning.
template <typename F>
void for_each_piece(const Switches& s, std::span<const Row> rows, Span span, F&& f) {
  const bool began_on_core = s.in[rows.front()] == 0;
  f(began_on_core ? rows.front() : kNone, Span{span.first, s.start[rows.front()]}, began_on_core);
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t until = i + 1 < rows.size() ? s.start[rows[i + 1]] : span.second;
    f(rows[i], Span{s.start[rows[i]], until}, s.in[rows[i]] != 0);
  }
}

/// Measures a thread by its switches, and gives back when it was blocked.
std::vector<Span> measure_by_switches(const Switches& s, std::span<const Row> rows, ThreadTime& time) {
  std::vector<Span> blocked;
  int64_t ready = 0;
  bool states = false;
  time.source = ThreadTimeSource::scheduling;
  time.running_ns = 0;
  for_each_piece(s, rows, time.span, [&](Row row, Span span, bool on_core) {
    if (on_core) {
      time.running_ns += span.second - span.first;
      return;
    }
    states = states || (row != kNone && has_state(s, row));
    if (row != kNone && is_preempted(s, row)) {
      ready += span.second - span.first;
    } else if (span.first < span.second) {
      blocked.push_back(span);
    }
  });
  if (states) time.ready_ns = ready;
  time.blocked_ns = total_ns(blocked);
  return blocked;
}

void count_switches(const Switches& s, std::span<const Row> rows, ThreadTime& time) {
  std::set<int32_t> cores;
  int32_t core = kUnknown32;
  time.switches = time.migrations = 0;
  for (const Row row : rows) {
    cores.insert(s.cpu[row]);
    if (s.in[row] == 0) continue;
    ++time.switches;
    time.migrations += static_cast<int64_t>(core != kUnknown32 && core != s.cpu[row]);
    core = s.cpu[row];
  }
  time.cores = static_cast<int64_t>(cores.size());
}

/// When the scheduling of a thread's rank was last heard of.
int64_t last_switch(const Trace& trace, ThreadId thread) {
  const auto rank_of = [&](ThreadId t) { return trace.processes[trace.threads[t].process].rank; };
  const Switches& s = trace.switches;
  for (size_t row = row_count(s); row-- > 0;) {
    if (s.thread[row] < trace.threads.size() && rank_of(s.thread[row]) == rank_of(thread)) return s.start[row];
  }
  return kUnknown;
}

/// The first and last moment of each thread; [max, min) where nothing of it was recorded.
std::vector<Span> spans_of_threads(const Trace& trace, const RowsByThread& switches) {
  std::vector<Span> spans(trace.threads.size(),
                          {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()});
  const auto include = [&](ThreadId thread, int64_t start, int64_t end) {
    if (thread >= spans.size()) return;
    spans[thread].first = std::min(spans[thread].first, start);
    spans[thread].second = std::max(spans[thread].second, end == kUnknown ? start : end);
  };
  for (const Calls* calls : {&trace.api, &trace.os_calls, &trace.library_calls}) {
    for (Row row = 0; row < row_count(*calls); ++row) {
      // Without a duration are the recorder's own words among the calls, on a thread 0.
      if (calls->start[row] < calls->end[row]) include(calls->thread[row], calls->start[row], calls->end[row]);
    }
  }
  const Ranges& r = trace.ranges;
  for (Row row = 0; row < row_count(r); ++row) {
    if (is_push_pop(r, row)) include(r.thread[row], r.start[row], r.end[row]);
  }
  const Switches& s = trace.switches;
  for (Row row = 0; row < row_count(s); ++row) include(s.thread[row], s.start[row], s.start[row]);
  for (ThreadId thread = 0; thread < spans.size(); ++thread) {
    const auto rows = switches.rows_of(thread);
    if (!rows.empty() && s.in[rows.back()] != 0) include(thread, s.start[rows.back()], last_switch(trace, thread));
  }
  return spans;
}

void measure_by_calls(const std::vector<Call>& calls, ThreadTime& time) {
  std::vector<Call> waiting;
  std::vector<Span> blocked;
  for (const Call& call : calls) {
    if (!call.waits) continue;
    waiting.push_back(call);
    blocked.emplace_back(call.start, call.end);
  }
  time.source = ThreadTimeSource::calls;
  merge_spans(blocked);
  time.blocked_ns = total_ns(blocked);
  set_blocked_in(waiting, blocked, time);
}

}  // namespace

std::vector<OnCore> times_on_cores(const Trace& trace) {
  const Switches& s = trace.switches;
  const RowsByThread switches(s.thread, trace.threads.size());
  const std::vector<Span> spans = spans_of_threads(trace, switches);
  std::vector<OnCore> found;
  for (ThreadId thread = 0; thread < trace.threads.size(); ++thread) {
    const auto rows = switches.rows_of(thread);
    if (rows.empty()) continue;
    for_each_piece(s, rows, spans[thread], [&](Row row, Span span, bool on_core) {
      if (on_core) found.push_back({thread, s.cpu[row], span, s.in[row] != 0});
    });
  }
  return found;
}

std::vector<ThreadTime> thread_times(const Trace& trace) {
  std::vector<ThreadTime> times(trace.threads.size());
  const Switches& s = trace.switches;
  const RowsByThread switches(s.thread, trace.threads.size());
  const std::vector<Span> spans = spans_of_threads(trace, switches);
  const auto calls = calls_by_thread(trace);
  for (ThreadId thread = 0; thread < times.size(); ++thread) {
    ThreadTime& time = times[thread];
    if (spans[thread].first > spans[thread].second) continue;
    time.span = spans[thread];
    const auto rows = switches.rows_of(thread);
    if (rows.empty()) {
      measure_by_calls(calls[thread], time);
      continue;
    }
    count_switches(s, rows, time);
    set_blocked_in(calls[thread], measure_by_switches(s, rows, time), time);
  }
  for (const Row call : trace.kernels.launch) {
    if (call != kNone && trace.api.thread[call] < times.size()) ++times[trace.api.thread[call]].kernels;
  }
  return times;
}

}  // namespace sonde
