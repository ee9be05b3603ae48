#include "analyses/steps/loops.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "analyses/steps/launch_repetition.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Fewer turns do not tell a warm-up from noise.
constexpr size_t kMinTurns = 5;
/// A loop is a large part if it has this much of the window's GPU work, or of its time.
constexpr double kLarge = 0.2;
/// Of the GPU work that is launched while a loop runs, this much is launched within its turns.
constexpr double kMinInside = 0.5;
/// A thread launches if it launches this much of the work of its loop.
constexpr double kMinOwn = 0.01;
/// A step by its name counts where its thread launches less than the others: this much.
constexpr double kMinOwnOfStep = 0.05;
/// Ranges of which only the time tells that they are a loop fill this much of it.
constexpr double kMinFilled = 0.6;
/// Where ranges fill less, what the host does between two of them is part of the step.
constexpr double kFilled = 0.9;

double as_real(int64_t value) { return static_cast<double>(value); }

double share_of(int64_t part, int64_t whole) { return whole > 0 ? as_real(part) / as_real(whole) : 0; }

int64_t length_of_span(const Span& span) { return span.second - span.first; }

int64_t total_length(std::span<const Span> spans) {
  int64_t total = 0;
  for (const Span& span : spans) total += length_of_span(span);
  return total;
}

/// `spans` are sorted.
int64_t gpu_ns_within(const LaunchList& list, std::span<const Span> spans) {
  int64_t total = 0;
  size_t begin = 0;
  for (const Span& span : spans) {
    begin = list.from(span.first, begin);
    total += list.gpu_ns(begin, list.from(span.second, begin));
  }
  return total;
}

std::span<const Span> spans_in(const std::vector<Span>& spans, const Span& window) {
  const auto begin = std::ranges::lower_bound(spans, window.first, {}, &Span::first);
  const auto end = std::ranges::upper_bound(begin, spans.end(), window.second, {}, &Span::second);
  return {begin, end};
}

/// From start to start where the ranges leave much of the time out; the last ends with its range. A pause of several
/// turns is not part of one.
std::vector<Span> turns_of(std::span<const Span> spans) {
  std::vector<Span> turns(spans.begin(), spans.end());
  const int64_t all = turns.back().second - turns.front().first;
  if (share_of(total_length(turns), all) >= kFilled) return turns;
  constexpr int64_t kPause = 3;
  std::vector<int64_t> periods;
  for (size_t i = 0; i + 1 < turns.size(); ++i) periods.push_back(turns[i + 1].first - turns[i].first);
  std::ranges::nth_element(periods, periods.begin() + static_cast<std::ptrdiff_t>(periods.size() / 2));
  const int64_t usual = periods[periods.size() / 2];
  for (size_t i = 0; i + 1 < turns.size(); ++i) {
    if (turns[i + 1].first - turns[i].first <= kPause * usual) turns[i].second = turns[i + 1].first;
  }
  return turns;
}

std::string label_of(const Trace& trace, const LaunchRepetition& found) {
  const std::string first = first_operation(trace, found.first_call);
  if (found.launches == 1) return "launch of " + first;
  return fmt::format("{}{} launches from {}", found.varies ? "about " : "", found.launches, first);
}

/// Whether one of the spans, which are sorted, holds both times.
bool one_holds(const std::vector<Span>& spans, int64_t first, int64_t second) {
  const auto next = std::ranges::upper_bound(spans, first, {}, &Span::first);
  return next != spans.begin() && std::prev(next)->second > second;
}

/// What can hold a whole pass of a model: modules and operators of the thread, and steps that are too few to be a loop.
std::vector<std::vector<Span>> holders_of_layers(const Trace& trace, ThreadId thread) {
  const Ranges& r = trace.ranges;
  std::vector<std::vector<Span>> holders(3);
  for (Row row = 0; row < r.parent.size(); ++row) {
    if (r.parent[row] != kNone || r.end[row] == kUnknown) continue;
    const DomainKind kind = trace.domains[r.domain[row]].kind;
    const bool own = r.thread[row] == thread;
    if (own && kind == DomainKind::module) holders[0].emplace_back(r.start[row], r.end[row]);
    if (own && kind == DomainKind::op) holders[1].emplace_back(r.start[row], r.end[row]);
    if (trace.name(r.name[row]).starts_with("ProfilerStep")) holders[2].emplace_back(r.start[row], r.end[row]);
  }
  return holders;
}

/// Whether a turn launches kernels: copies and memsets behind each other are set-up more often than a loop.
bool computes(const Trace& trace, const Loop& loop) {
  const Span& turn = loop.turns[loop.turns.size() / 2];
  const auto launches = [&](const GpuOps& ops) {
    return std::ranges::any_of(ops.launch, [&](Row call) {
      return call != kNone && trace.api.thread[call] == loop.thread && trace.api.start[call] >= turn.first &&
             trace.api.start[call] < turn.second;
    });
  };
  return launches(trace.kernels) || launches(trace.graph_launches);
}

/// What the turns launched on GPUs, first start to last end of each; empty where a turn launched nothing.
std::vector<Span> work_of_turns(const LaunchList& list, std::span<const Span> turns) {
  std::vector<Span> work;
  size_t begin = 0;
  for (const Span& turn : turns) {
    begin = list.from(turn.first, begin);
    const size_t end = list.from(turn.second, begin);
    Span span{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
    for (size_t i = begin; i < end; ++i) {
      span.first = std::min(span.first, list.work[i].first_ns);
      span.second = std::max(span.second, list.work[i].last_ns);
    }
    if (span.first < span.second) work.push_back(span);
  }
  return work;
}

}  // namespace

LoopFinder::LoopFinder(const Trace& trace)
    : trace_(trace),
      launches_(trace),
      ranges_(repeated_ranges(trace, kMinTurns)),
      has_launches_(!launches_.threads().empty()) {}

bool LoopFinder::is_of(RankId rank, ThreadId thread) const {
  if (rank == kNone) return true;
  return thread < trace_.threads.size() && trace_.processes[trace_.threads[thread].process].rank == rank;
}

bool LoopFinder::is_large(ThreadId thread, const Span& loop, const Span& window) const {
  const LaunchList& work = launches_.around(thread);
  return share_of(work.gpu_ns(loop), work.gpu_ns(window)) >= kLarge ||
         share_of(length_of_span(loop), length_of_span(window)) >= kLarge;
}

std::optional<LoopFinder::Candidate> LoopFinder::judged(const RangeTurns& range, const Span& window) const {
  const std::span<const Span> spans = spans_in(range.spans, window);
  if (spans.size() < kMinTurns) return std::nullopt;
  const Span all{spans.front().first, spans.back().second};
  if (has_launches_ && !is_large(range.thread, all, window)) return std::nullopt;
  const LaunchList& process = launches_.around(range.thread);
  const LaunchList& thread = launches_.of_thread(range.thread);
  const int64_t launched = process.gpu_ns(all);
  const int64_t within = gpu_ns_within(process, spans);
  const int64_t own = &thread == &process ? within : gpu_ns_within(thread, spans);
  const double own_share = share_of(own, launched);
  const bool is_step = range.origin == RangeOrigin::step;
  Candidate found{.gpu_ns = within, .host_ns = total_length(spans), .loop = {range.label, range.thread, true, {}}};
  const bool filled = share_of(found.host_ns, length_of_span(all)) >= kMinFilled;
  if (has_launches_) {
    const bool inside = share_of(found.gpu_ns, launched) >= kMinInside;
    const bool own_step = is_step && own_share >= kMinOwnOfStep && share_of(own, thread.gpu_ns(all)) >= kMinInside;
    if (!inside && !own_step) return std::nullopt;
    if (own_share < kMinOwn && !filled) return std::nullopt;
  } else if (!filled || share_of(length_of_span(all), length_of_span(window)) < kMinInside) {
    return std::nullopt;
  }
  const bool launching = own_share >= kMinOwn;
  if (range.origin == RangeOrigin::library && !launching && has_launches_) return std::nullopt;
  found.choice = is_step                                             ? Choice::step
                 : launching && range.origin == RangeOrigin::program ? Choice::program
                                                                     : Choice::other;
  found.loop.turns = turns_of(spans);
  return found;
}

bool LoopFinder::are_layers(const Loop& loop) const {
  const auto holders = holders_of_layers(trace_, loop.thread);
  size_t within = 0;
  for (size_t i = 0; i + 1 < loop.turns.size(); ++i) {
    const auto holds = [&](const auto& spans) {
      return one_holds(spans, loop.turns[i].first, loop.turns[i + 1].first);
    };
    within += std::ranges::any_of(holders, holds) ? 1 : 0;
  }
  return 2 * within >= loop.turns.size();
}

std::optional<Loop> LoopFinder::repeated_launches(const Span& window, RankId rank) const {
  constexpr size_t kMostThreads = 4;
  constexpr double kMinOfProcess = 0.2;
  size_t asked = 0;
  for (const ThreadId thread : launches_.threads(rank)) {
    const int64_t own = launches_.of_thread(thread).gpu_ns(window);
    if (share_of(own, launches_.around(thread).gpu_ns(window)) < kMinOfProcess) continue;
    if (++asked > kMostThreads) break;
    auto found = find_launch_repetition(launches_, thread, window);
    if (!found) continue;
    Loop loop{{}, thread, false, std::move(found->turns)};
    if (!is_large(thread, loop.span(), window) || !computes(trace_, loop)) continue;
    if (are_layers(loop)) return std::nullopt;
    loop.label = label_of(trace_, *found);
    return loop;
  }
  return std::nullopt;
}

std::optional<Loop> LoopFinder::find(const Span& window, RankId rank) const {
  constexpr double kNearly = 0.9;
  std::optional<Candidate> best;
  const auto is_better = [&](const Candidate& c) {
    if (!best || c.choice != best->choice) return !best || c.choice < best->choice;
    if (as_real(c.gpu_ns) < kNearly * as_real(best->gpu_ns)) return false;
    return as_real(best->gpu_ns) < kNearly * as_real(c.gpu_ns) || c.host_ns > best->host_ns;
  };
  for (const RangeTurns& range : ranges_) {
    if (!is_of(rank, range.thread)) continue;
    auto candidate = judged(range, window);
    if (candidate && is_better(*candidate)) best = std::move(candidate);
  }
  if (best && best->choice < Choice::launches) return std::move(best->loop);
  auto launches = repeated_launches(window, rank);
  if (launches) return launches;
  return best ? std::optional(std::move(best->loop)) : std::nullopt;
}

std::optional<Loop> LoopFinder::find_like(const Span& window, const Loop& other, RankId rank) const {
  if (!other.by_range) {
    auto loop = repeated_launches(window, rank);
    return loop && loop->label == other.label ? loop : std::nullopt;
  }
  std::optional<Candidate> best;
  for (const RangeTurns& range : ranges_) {
    if (range.label != other.label || !is_of(rank, range.thread)) continue;
    auto candidate = judged(range, window);
    if (candidate && (!best || candidate->gpu_ns > best->gpu_ns)) best = std::move(candidate);
  }
  return best ? std::optional(std::move(best->loop)) : std::nullopt;
}

std::vector<Span> times_of_turns(const Launches& launches, const Loop& loop) {
  /// The GPUs finish the loop's work this much later than the host has launched it, of the time that they work on it.
  constexpr double kFarAhead = 0.1;
  const std::vector<Span> work = work_of_turns(launches.around(loop.thread), loop.turns);
  if (work.size() < loop.turns.size()) return loop.turns;
  int64_t last = 0;
  for (const Span& span : work) last = std::max(last, span.second);
  if (share_of(last - loop.turns.back().second, last - work.front().first) < kFarAhead) return loop.turns;
  std::vector<Span> times;
  for (const Span& span : work) {
    if (!times.empty()) times.back().second = std::max(times.back().first, span.first);
    times.emplace_back(times.empty() ? span.first : times.back().second, last);
  }
  return times;
}

}  // namespace sonde
