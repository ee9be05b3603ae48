#include "analyses/replay/recording_cost.h"

#include <algorithm>
#include <limits>
#include <span>

#include "analyses/ranges/range_label.h"
#include "base/system/lower_bound_near.h"
#include "base/system/sort_runs.h"
#include "trace/columns.h"

/// What PyTorch's profiler costs a thread grows with the gap that it leaves between an operator's end and the next
/// one's begin: both hold its book-keeping, on that machine, with those options, at that time (of one program the gaps
/// of a thread doubled from one step to the next, and so did all of its operators). The rest of the cost is a multiple
/// of it: boxed arguments, callbacks, colder caches. RL-Scope (Gleeson and others, MLSys 2021) calibrates each kind of
/// event and subtracts it where it occurred.
namespace sonde {
namespace {

/// Costs in units of that gap, fitted to the true, unprofiled steps of programs on an H100 (docs/profiles/accuracy.md).
constexpr double kOperatorGaps = 5.0;
constexpr double kCallGaps = 1.5;
/// A frame is an event of the profiler without arguments. Assumed: no measured program recorded any.
constexpr double kFrameGaps = 1.0;
constexpr double kLowFactor = 0.75;
constexpr double kHighFactor = 1.25;

/// CUPTI's records of one CUDA call in units of what it measured for a call that does nothing. A call of the runtime
/// makes one of the driver, which is recorded too. Assumed: no GPU was at hand to measure launches with.
constexpr double kUsualRecords = 2;
constexpr double kMostRecords = 4;

/// Where a trace has too few operators to tell, or whole microseconds: 4 to 5 us an operator are what users of PyTorch
/// report (pytorch/pytorch#82793); 3.5 to 8 us were measured on one host.
constexpr double kUsualGapNs = 1'000;
constexpr double kUsualLow = 0.4;
constexpr double kUsualHigh = 1.6;
constexpr size_t kMinGaps = 50;
/// Gaps of one thread that tell how slow it is at a time.
constexpr size_t kWindow = 200;

struct Gap {
  int64_t time_ns;
  int64_t length_ns;
};

bool is_op(const Trace& trace, Row row) {
  return is_named_scope(trace, row) && trace.domains[trace.ranges.domain[row]].kind == DomainKind::op;
}

/// Of each thread, from the end of each operator to the begin of the next one that the same operator called.
std::vector<std::vector<Gap>> gaps_between_operators(const Trace& trace) {
  const Ranges& r = trace.ranges;
  std::vector<std::vector<Gap>> gaps(trace.threads.size());
  if (r.parent.empty()) return gaps;
  std::vector<int64_t> last_end(row_count(r), kUnknown);  // of the operators that each has called so far
  for (Row row = 0; row < row_count(r); ++row) {
    if (!is_op(trace, row) || r.parent[row] == kNone) continue;
    int64_t& end = last_end[r.parent[row]];
    if (end != kUnknown && r.start[row] >= end) gaps[r.thread[row]].push_back({r.start[row], r.start[row] - end});
    end = r.end[row];
  }
  return gaps;
}

/// A low one: between most operators something else happens.
double low_gap_ns(std::vector<Gap> gaps) {
  const auto tenth = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 10);
  std::ranges::nth_element(gaps, tenth, {}, &Gap::length_ns);
  return static_cast<double>(tenth->length_ns);
}

bool whole_microseconds(const std::vector<Gap>& gaps) {
  constexpr int64_t kMicrosecond = 1'000;
  return std::ranges::all_of(gaps, [](const Gap& gap) { return gap.length_ns % kMicrosecond == 0; });
}

/// What recording a range costs, in gaps.
double gaps_of(DomainKind kind) {
  switch (kind) {
    case DomainKind::op: return kOperatorGaps;
    case DomainKind::python:
    case DomainKind::module: return kFrameGaps;
    default: return 0;
  }
}

/// The calls of a group of threads, by start, and the stretches of the group's time before each.
struct GroupCalls {
  std::vector<Row> rows;
  std::vector<int64_t> starts;
  std::vector<int64_t> free_from;  ///< no call before it has run since
  std::vector<double> cost_ns;     ///< of ranges in the stretch
};

std::vector<GroupCalls> calls_by_group(const Calls& api, const std::vector<uint32_t>& group_of) {
  std::vector<GroupCalls> groups(group_of.size());
  for (Row row = 0; row < row_count(api); ++row) {
    const uint32_t group = group_of[api.thread[row]];
    if (group == kNone) continue;
    GroupCalls& calls = groups[group];
    const int64_t free_from = calls.rows.empty() ? std::numeric_limits<int64_t>::min() / 4
                                                 : std::max(calls.free_from.back(), api.end[calls.rows.back()]);
    calls.rows.push_back(row);
    calls.starts.push_back(api.start[row]);
    calls.free_from.push_back(free_from);
  }
  for (GroupCalls& calls : groups) calls.cost_ns.resize(calls.rows.size(), 0);
  return groups;
}

/// Sums up what the ranges of one thread cost in the stretches of its group.
class ThreadCosts {
 public:
  explicit ThreadCosts(const GroupCalls& calls) : calls_(calls), cost_ns_(calls.rows.size(), 0) {}

  /// Half of a range's cost at its begin, half at its end. Ranges come by start.
  void add_range(int64_t start, int64_t end, double cost_ns) {
    near_ = stretch_of(start, near_);
    add(start, near_, cost_ns / 2);
    add(end, stretch_of(end, near_), cost_ns / 2);
  }
  void add_at(int64_t time, double cost_ns) { add(time, stretch_of(time, 0), cost_ns); }

  /// Threads of a group hand over to each other; where two work at once, only the busier one delays the GPU.
  void keep_busiest(std::vector<double>& busiest) const {
    for (size_t i = 0; i < busiest.size(); ++i) busiest[i] = std::max(busiest[i], cost_ns_[i]);
  }

 private:
  /// The stretch before the first call that starts at `time` or later, quickly where that is shortly behind `near`.
  [[nodiscard]] size_t stretch_of(int64_t time, size_t near) const {
    return lower_bound_near(std::span<const int64_t>(calls_.starts), time, near);
  }
  void add(int64_t time, size_t stretch, double cost_ns) {
    if (stretch == cost_ns_.size() || time < calls_.free_from[stretch]) return;
    cost_ns_[stretch] += cost_ns;
  }

  const GroupCalls& calls_;
  std::vector<double> cost_ns_;
  size_t near_ = 0;
};

/// Rows of ranges that cost something, by thread; threads of no group have none.
std::vector<std::vector<Row>> ranges_by_thread(const Trace& trace, const std::vector<uint32_t>& group_of) {
  const Ranges& r = trace.ranges;
  std::vector<std::vector<Row>> of_thread(trace.threads.size());
  for (Row row = 0; row < row_count(r); ++row) {
    if (group_of[r.thread[row]] != kNone && is_closed(r, row)) of_thread[r.thread[row]].push_back(row);
  }
  return of_thread;
}

/// Between two ProfilerStep ranges nothing runs but the profiler's step().
void add_steps(const Trace& trace, const std::vector<Row>& rows, ThreadCosts& costs) {
  const Ranges& r = trace.ranges;
  int64_t end = kUnknown;
  for (const Row row : rows) {
    if (!trace.name(r.name[row]).starts_with("ProfilerStep#")) continue;
    if (end != kUnknown && r.start[row] > end) costs.add_at(r.start[row], static_cast<double>(r.start[row] - end));
    end = r.end[row];
  }
}

void add_ranges(const Trace& trace, const std::vector<Row>& rows, const RecordingCost& cost, ThreadCosts& costs) {
  const Ranges& r = trace.ranges;
  for (const Row row : rows) {
    const double ns = cost.of_range_ns(trace.domains[r.domain[row]].kind, r.thread[row], r.start[row]);
    if (ns > 0) costs.add_range(r.start[row], r.end[row], ns);
  }
}

bool is_by_pytorch(const Trace& trace) {
  return std::ranges::all_of(trace.ranks,
                             [](const Rank& rank) { return rank.product.starts_with("PyTorch profiler"); });
}

/// In the processes that make calls.
bool has_measured_cost(const Trace& trace) {
  const auto is_measured = [](const Process& process) { return process.call_cost_ns > 0; };
  if (std::ranges::none_of(trace.processes, is_measured)) return false;  // others' profiles may have millions of calls
  std::vector<bool> called(trace.processes.size(), false);
  for (const ThreadId thread : trace.api.thread) {
    if (thread == kNone) return false;
    if (trace.threads[thread].process != kNone) called[trace.threads[thread].process] = true;
  }
  for (ProcessId process = 0; process < called.size(); ++process) {
    if (called[process] && !is_measured(trace.processes[process])) return false;
  }
  return std::ranges::find(called, true) != called.end();
}

/// What is left of a stretch of a thread's time at least: shares that the program's own work had in the fastest
/// stretches of programs whose unprofiled time is known.
constexpr double kOwnPart = 0.15;

}  // namespace

EventGaps::EventGaps(const Trace& trace) : of_thread_(trace.threads.size()) {
  const auto gaps = gaps_between_operators(trace);
  std::vector<Gap> all;
  for (const auto& of_thread : gaps) all.insert(all.end(), of_thread.begin(), of_thread.end());
  measured_ = all.size() >= kMinGaps && !whole_microseconds(all);
  usual_ns_ = measured_ ? low_gap_ns(all) : kUsualGapNs;
  if (!measured_) return;
  for (ThreadId thread = 0; thread < gaps.size(); ++thread) {
    const std::vector<Gap>& of = gaps[thread];
    for (size_t from = 0; from + kMinGaps <= of.size();) {
      const size_t to = of.size() - from < 2 * kWindow ? of.size() : from + kWindow;
      const auto at = [&](size_t i) { return of.begin() + static_cast<std::ptrdiff_t>(i); };
      of_thread_[thread].push_back({of[from].time_ns, low_gap_ns({at(from), at(to)})});
      from = to;
    }
  }
}

double EventGaps::at_ns(ThreadId thread, int64_t time_ns) const {
  const std::vector<Window>& windows = of_thread_[thread];
  if (windows.empty()) return usual_ns_;
  const auto next = std::ranges::upper_bound(windows, time_ns, {}, &Window::start_ns);
  return next == windows.begin() ? next->gap_ns : std::prev(next)->gap_ns;
}

RecordingCost::RecordingCost(EventGaps gaps)
    : gaps_(std::move(gaps)),
      low_(gaps_->measured() ? kLowFactor : kUsualLow),
      high_(gaps_->measured() ? kHighFactor : kUsualHigh) {}

RecordingCost::RecordingCost(const Trace& trace) : low_(1 / kUsualRecords), high_(kMostRecords / kUsualRecords) {
  for (const Thread& thread : trace.threads) {
    of_thread_.push_back(thread.process == kNone ? Process{} : trace.processes[thread.process]);
  }
}

double RecordingCost::of_range_ns(DomainKind kind, ThreadId thread, int64_t time_ns) const {
  if (gaps_) return gaps_of(kind) * gaps_->at_ns(thread, time_ns);
  return 2 * static_cast<double>(of_thread_[thread].event_cost_ns);
}

double RecordingCost::of_call_ns(ThreadId thread, int64_t time_ns) const {
  if (gaps_) return kCallGaps * gaps_->at_ns(thread, time_ns);
  return kUsualRecords * static_cast<double>(of_thread_[thread].call_cost_ns);
}

bool has_recording_cost(const Trace& trace) {
  return !trace.ranks.empty() && (is_by_pytorch(trace) || has_measured_cost(trace));
}

std::optional<RecordingCost> recording_cost(const Trace& trace) {
  if (!has_recording_cost(trace)) return std::nullopt;
  return is_by_pytorch(trace) ? RecordingCost(EventGaps(trace)) : RecordingCost(trace);
}

RecorderCuts::RecorderCuts(const Trace& trace, const std::vector<uint32_t>& group_of, RecordingCost cost)
    : cost_(std::move(cost)) {
  const Calls& api = trace.api;
  std::vector<GroupCalls> groups = calls_by_group(api, group_of);
  const std::vector<std::vector<Row>> ranges = ranges_by_thread(trace, group_of);
  for (ThreadId thread = 0; thread < ranges.size(); ++thread) {
    if (ranges[thread].empty()) continue;
    GroupCalls& calls = groups[group_of[thread]];
    ThreadCosts costs(calls);
    add_ranges(trace, ranges[thread], cost_, costs);
    if (cost_.has_own_steps()) add_steps(trace, ranges[thread], costs);
    costs.keep_busiest(calls.cost_ns);
  }
  for (const GroupCalls& calls : groups) {
    double owed_ns = 0;  // of the call before
    for (size_t i = 0; i < calls.rows.size(); ++i) {
      const ThreadId thread = api.thread[calls.rows[i]];
      const int64_t end = calls.starts[i];
      if (end > calls.free_from[i]) {
        const double most = (1 - kOwnPart) * static_cast<double>(end - calls.free_from[i]);
        stretches_.push_back({thread, end, owed_ns + calls.cost_ns[i], most});
      }
      owed_ns = cost_.of_call_ns(thread, end);
    }
  }
  sort_runs(stretches_, &Stretch::end_ns);
}

std::vector<Cut> RecorderCuts::times(double factor) const {
  std::vector<Cut> cuts;
  for (const Stretch& stretch : stretches_) {
    const auto length = static_cast<int64_t>(std::min(factor * stretch.cost_ns, stretch.most_ns));
    if (length <= 0) continue;
    cuts.push_back({.thread = stretch.thread,
                    .start_ns = stretch.end_ns - length,
                    .end_ns = stretch.end_ns,
                    .between_calls = true});
  }
  return cuts;
}

}  // namespace sonde
