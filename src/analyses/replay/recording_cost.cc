#include "analyses/replay/recording_cost.h"

#include <algorithm>

#include "analyses/ranges/range_label.h"
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

using Mark = RecorderCuts::Mark;

/// What recording a range costs, in gaps.
double gaps_of(DomainKind kind) {
  switch (kind) {
    case DomainKind::op: return kOperatorGaps;
    case DomainKind::python:
    case DomainKind::module: return kFrameGaps;
    default: return 0;
  }
}

/// Between two ProfilerStep ranges nothing runs but the profiler's step().
void add_step_marks(const Trace& trace, const std::vector<uint32_t>& group_of, std::vector<Mark>& marks) {
  const Ranges& r = trace.ranges;
  std::vector<int64_t> ends(trace.threads.size(), kUnknown);
  for (Row row = 0; row < row_count(r); ++row) {
    if (group_of[r.thread[row]] == kNone || !is_closed(r, row)) continue;
    if (!trace.name(r.name[row]).starts_with("ProfilerStep#")) continue;
    int64_t& end = ends[r.thread[row]];
    if (end != kUnknown && r.start[row] > end)
      marks.push_back({r.start[row], r.thread[row], static_cast<double>(r.start[row] - end)});
    end = r.end[row];
  }
}

/// By time; half of a range's cost at its begin, half at its end.
std::vector<Mark> marks(const Trace& trace, const std::vector<uint32_t>& group_of, const RecordingCost& cost) {
  const Ranges& r = trace.ranges;
  std::vector<Mark> found;
  for (Row row = 0; row < row_count(r); ++row) {
    const double gaps = gaps_of(trace.domains[r.domain[row]].kind);
    if (group_of[r.thread[row]] == kNone || !is_closed(r, row) || gaps <= 0) continue;
    const double half = gaps * cost.gaps.at_ns(r.thread[row], r.start[row]) / 2;
    found.push_back({r.start[row], r.thread[row], half});
    found.push_back({r.end[row], r.thread[row], half});
  }
  add_step_marks(trace, group_of, found);
  std::ranges::sort(found, {}, &Mark::time);
  return found;
}

/// What is left of a stretch of a thread's time at least: shares that the program's own work had in the fastest
/// stretches of programs whose unprofiled time is known.
constexpr double kOwnPart = 0.15;

/// Walks the calls of one group of threads in the order of their starts, and cuts the recorder's time out between them.
class StretchCutter {
 public:
  StretchCutter(const Calls& api, const RecordingCost& cost, double factor, std::vector<Cut>& cuts)
      : api_(api), cost_(cost), factor_(factor), cuts_(cuts) {}

  void mark(const Mark& mark) {
    if (mark.time < free_from_) return;
    // Threads of a group hand over to each other; where two work at once, only the busier one delays the GPU.
    auto found = std::ranges::find(of_thread_, mark.thread, &OfThread::thread);
    if (found == of_thread_.end()) found = of_thread_.insert(found, {mark.thread, 0});
    found->cost_ns += mark.cost_ns;
  }

  void call(Row row) {
    cut(api_.start[row], api_.thread[row]);
    free_from_ = std::max(free_from_, api_.end[row]);
    of_thread_.clear();
    owed_ns_ = kCallGaps * cost_.gaps.at_ns(api_.thread[row], api_.start[row]);
  }

  void cut(int64_t until, ThreadId thread) {
    if (until <= free_from_) return;
    double busiest = 0;
    for (const OfThread& t : of_thread_) busiest = std::max(busiest, t.cost_ns);
    const double longest = (1 - kOwnPart) * static_cast<double>(until - free_from_);
    const auto length = static_cast<int64_t>(std::min(factor_ * (owed_ns_ + busiest), longest));
    if (length > 0) cuts_.push_back({thread, until - length, until});
  }

 private:
  struct OfThread {
    ThreadId thread;
    double cost_ns;
  };
  const Calls& api_;
  const RecordingCost& cost_;
  double factor_;
  std::vector<Cut>& cuts_;
  int64_t free_from_ = std::numeric_limits<int64_t>::min() / 4;  ///< no call has run since
  double owed_ns_ = 0;                                           ///< of the call before
  std::vector<OfThread> of_thread_;
};

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

bool has_recording_cost(const Trace& trace) {
  return !trace.ranks.empty() && std::ranges::all_of(trace.ranks, [](const Rank& rank) {
    return rank.product.starts_with("PyTorch profiler");
  });
}

std::optional<RecordingCost> recording_cost(const Trace& trace) {
  if (!has_recording_cost(trace)) return std::nullopt;
  EventGaps gaps(trace);
  const bool measured = gaps.measured();
  return RecordingCost{
      .gaps = std::move(gaps), .low = measured ? kLowFactor : kUsualLow, .high = measured ? kHighFactor : kUsualHigh};
}

RecorderCuts::RecorderCuts(const Trace& trace, std::vector<uint32_t> group_of, RecordingCost cost)
    : trace_(trace), group_of_(std::move(group_of)), cost_(std::move(cost)), marks_(marks(trace, group_of_, cost_)) {}

std::vector<Cut> RecorderCuts::times(double factor) const {
  std::vector<Cut> cuts;
  const Calls& api = trace_.api;
  std::vector<StretchCutter> cutters(group_of_.size(), StretchCutter(api, cost_, factor, cuts));
  auto next = marks_.begin();
  for (Row row = 0; row < row_count(api); ++row) {
    for (; next != marks_.end() && next->time <= api.start[row]; ++next) cutters[group_of_[next->thread]].mark(*next);
    const uint32_t group = group_of_[api.thread[row]];
    if (group != kNone) cutters[group].call(row);
  }
  return cuts;
}

}  // namespace sonde
