#include "analyses/steps/warm_up.h"

#include <algorithm>
#include <span>

#include "analyses/steps/run_extent.h"
#include "analyses/tables/distribution.h"

namespace sonde {
namespace {

/// A turn belongs to the warm-up when it takes this much longer than the median of the later half.
constexpr double kClearlyLonger = 1.25;

/// Too few turns to tell a warm-up: 2 to 4 that fill this much of the time from the first to the last,
constexpr size_t kLeastTurns = 2;
constexpr size_t kTooFewTurns = 4;
constexpr double kFewFilled = 0.6;
/// and that time is this much of the run's GPU work.
constexpr double kFewOfRun = 0.5;

double median_of(std::span<const int64_t> durations) {
  std::vector<int64_t> values(durations.begin(), durations.end());
  return distribution_of(values).median;
}

/// Whether turns keep their length: the second half takes about as long as the first.
bool is_level(std::span<const int64_t> durations) {
  const size_t half = durations.size() / 2;
  if (half == 0) return true;
  return median_of(durations.first(half)) <= kClearlyLonger * median_of(durations.last(durations.size() - half));
}

/// How many turns at the beginning are a warm-up.
size_t slow_turns(std::span<const int64_t> durations) {
  const double usual = median_of(durations.subspan(durations.size() / 2));
  const auto slow_end =
      std::ranges::find_if(durations, [&](int64_t d) { return static_cast<double>(d) <= usual * kClearlyLonger; });
  const auto slow = static_cast<size_t>(slow_end - durations.begin());
  return 2 * slow < durations.size() && is_level(durations.subspan(slow)) ? slow : 0;
}

WarmUp judged_turns(const Loop& loop, const std::vector<Span>& turns) {
  std::vector<int64_t> durations;
  for (const Span& turn : turns) durations.push_back(turn.second - turn.first);
  const size_t slow = slow_turns(durations);
  WarmUp warm_up;
  warm_up.range = loop.label;
  warm_up.thread = loop.by_range ? kNone : loop.thread;
  warm_up.iterations = static_cast<int64_t>(turns.size());
  warm_up.slow_iterations = static_cast<int64_t>(slow);
  warm_up.steady.assign(turns.begin() + static_cast<std::ptrdiff_t>(slow), turns.end());
  warm_up.launched.assign(loop.turns.begin() + static_cast<std::ptrdiff_t>(slow), loop.turns.end());
  warm_up.slow_mean_ns = distribution_of(std::span(durations).first(slow)).mean;
  warm_up.median_ns = distribution_of(std::span(durations).subspan(slow)).median;
  return warm_up;
}

/// Whether the turns fill most of the run, one after the other.
bool fill_run(const RangeTurns& range, const Span& run) {
  int64_t total = 0;
  for (const Span& turn : range.spans) total += turn.second - turn.first;
  const auto span = static_cast<double>(range.spans.back().second - range.spans.front().first);
  return static_cast<double>(total) >= kFewFilled * span &&
         span >= kFewOfRun * static_cast<double>(run.second - run.first);
}

bool still_gets_faster(const RangeTurns& range) {
  const auto length = [](const Span& turn) { return static_cast<double>(turn.second - turn.first); };
  const auto last = range.spans.rbegin();
  return length(*std::next(last)) > kClearlyLonger * length(*last);
}

}  // namespace

WarmUp warm_up_of(const Launches& launches, const Loop& loop) {
  return judged_turns(loop, times_of_turns(launches, loop));
}

std::optional<WarmUp> find_warm_up(const Trace& trace) {
  const LoopFinder finder(trace);
  const auto loop = finder.find(run_extent(trace));
  return loop ? std::optional(warm_up_of(finder.launches(), *loop)) : std::nullopt;
}

std::vector<RankTurns> turns_by_rank(const Trace& trace, const WarmUp& found) {
  if (trace.ranks.size() < 2) return {{.rank = 0, .steady = found.steady, .launched = found.launched}};
  const LoopFinder finder(trace);
  const Loop like{found.range, found.thread, found.thread == kNone, {}};
  std::vector<RankTurns> by_rank;
  for (RankId rank = 0; rank < trace.ranks.size(); ++rank) {
    const auto loop = finder.find_like(run_extent(trace), like, rank);
    if (!loop || std::ssize(loop->turns) <= found.slow_iterations) continue;
    const std::vector<Span> turns = times_of_turns(finder.launches(), *loop);
    RankTurns& of_rank = by_rank.emplace_back();
    of_rank.rank = rank;
    of_rank.steady.assign(turns.begin() + found.slow_iterations, turns.end());
    of_rank.launched.assign(loop->turns.begin() + found.slow_iterations, loop->turns.end());
  }
  return by_rank;
}

std::optional<WarmUp> unfinished_warm_up(const Trace& trace) {
  const Span run = gpu_extent(trace).value_or(run_extent(trace));
  const RangeTurns* best = nullptr;
  const std::vector<RangeTurns> ranges = repeated_ranges(trace, kLeastTurns);
  for (const RangeTurns& range : ranges) {
    if (range.spans.size() > kTooFewTurns || !range.outermost || !fill_run(range, run)) continue;
    const auto total = [](const RangeTurns& r) { return r.spans.back().second - r.spans.front().first; };
    if (best == nullptr || total(range) > total(*best)) best = &range;
  }
  if (best == nullptr || !still_gets_faster(*best)) return std::nullopt;
  WarmUp few;
  few.range = best->label;
  few.iterations = few.slow_iterations = std::ssize(best->spans);
  return few;
}

}  // namespace sonde
