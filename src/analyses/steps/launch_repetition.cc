#include "analyses/steps/launch_repetition.h"

#include <algorithm>
#include <span>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/steps/similar_turns.h"

namespace sonde {
namespace {

constexpr size_t kMinSequenceTurns = 5;
/// A launch that differs costs what this many alike give: of 20 launches of a loop 19 are alike.
constexpr int64_t kMismatchCost = 19;
/// Periods that are looked at: those that span most launches between equal ones.
constexpr size_t kMaxPeriods = 16;
/// Lengths of the windows of launches whose distance tells a period. A kernel that a turn launches twice has none
/// alone.
constexpr size_t kWindows[] = {1, 2, 4};

using Work = std::span<const LaunchedCall>;

/// Launches [begin, end) in which each is as the one `period` later, nearly.
struct LaunchLoop {
  size_t period = 0;
  size_t begin = 0;
  size_t end = 0;  ///< of the last turn
  size_t different = 0;
  [[nodiscard]] size_t size() const { return end - begin; }
  [[nodiscard]] double different_share() const {
    return static_cast<double>(different) / static_cast<double>(std::max<size_t>(size(), 1));
  }
};

/// The distance between equal windows that most of them have, by a majority vote.
struct Distance {
  size_t last = 0;
  size_t usual = 0;
  size_t votes = 0;
};

using Votes = boost::unordered_flat_map<size_t, size_t>;

void vote(Work work, size_t window, Votes& votes) {
  boost::unordered_flat_map<uint64_t, Distance> seen;
  for (size_t i = 0; i + window <= work.size(); ++i) {
    uint64_t hash = 0;
    for (size_t k = 0; k < window; ++k) hash = hash * 0x100000001B3U + work[i + k].token + 1;
    const auto [at, fresh] = seen.try_emplace(hash);
    Distance& d = at->second;
    const size_t distance = i - d.last;
    d.last = i;
    if (fresh) continue;
    if (d.votes == 0) d.usual = distance;
    if (d.usual == distance) {
      ++d.votes;
    } else {
      --d.votes;
    }
  }
  for (const auto& [hash, d] : seen) {
    if (d.votes > 0) votes[d.usual] += d.votes * d.usual;
  }
}

std::vector<size_t> possible_periods(Work work) {
  Votes votes;
  for (const size_t window : kWindows) vote(work, window, votes);
  std::vector<std::pair<size_t, size_t>> by_votes;
  for (const auto& [period, weight] : votes) {
    if (period * (kMinSequenceTurns - 1) < work.size()) by_votes.emplace_back(weight, period);
  }
  std::ranges::sort(by_votes, std::greater());
  std::vector<size_t> periods;
  for (const auto& [weight, period] : by_votes) {
    if (periods.size() < kMaxPeriods) periods.push_back(period);
  }
  return periods;
}

/// The part with the best sum of +1 for a launch that is as the one `period` later and -kMismatchCost for one that is
/// not (Kadane).
LaunchLoop loop_of(Work work, size_t period) {
  LaunchLoop best{.period = period};
  int64_t best_sum = 0;
  int64_t sum = 0;
  size_t begin = 0;
  size_t different = 0;
  for (size_t i = 0; i + period < work.size(); ++i) {
    const bool same = work[i].token == work[i + period].token;
    if (sum <= 0) {
      sum = 0;
      begin = i;
      different = 0;
    }
    sum += same ? 1 : -kMismatchCost;
    different += same ? 0 : 1;
    if (sum > best_sum) {
      best_sum = sum;
      best = {period, begin, i + period + 1, different};
    }
  }
  return best;
}

int64_t gpu_ns_of(const LaunchList& list, size_t offset, const LaunchLoop& loop) {
  return list.gpu_ns(offset + loop.begin, offset + loop.end);
}

/// Of loops that have nearly the most GPU time, the shortest period that fits about as well as any.
std::optional<LaunchLoop> best_loop(const LaunchList& list, size_t offset, Work work) {
  std::vector<std::pair<int64_t, LaunchLoop>> loops;
  int64_t most = 0;
  for (const size_t period : possible_periods(work)) {
    const LaunchLoop loop = loop_of(work, period);
    if (loop.size() < kMinSequenceTurns * period) continue;
    loops.emplace_back(gpu_ns_of(list, offset, loop), loop);
    most = std::max(most, loops.back().first);
  }
  constexpr double kNearlyMost = 0.9;
  std::erase_if(loops,
                [&](const auto& l) { return static_cast<double>(l.first) < kNearlyMost * static_cast<double>(most); });
  if (loops.empty()) return std::nullopt;
  double least = 1;
  for (const auto& [gpu_ns, loop] : loops) least = std::min(least, loop.different_share());
  constexpr double kAboutAsWell = 1.5;
  constexpr double kTooFewToTell = 0.005;
  std::optional<LaunchLoop> best;
  for (const auto& [gpu_ns, loop] : loops) {
    if (loop.different_share() > kAboutAsWell * least + kTooFewToTell) continue;
    if (!best || loop.period < best->period) best = loop;
  }
  return best;
}

int64_t host_gap(const Trace& trace, Work work, size_t i) {
  return i == 0 ? 0 : trace.api.start[work[i].call] - trace.api.end[work[i - 1].call];
}

/// The longest part of the loop in which every launch is as the one a period later.
LaunchLoop regular_part(Work work, const LaunchLoop& loop) {
  LaunchLoop best = loop;
  size_t longest = 0;
  size_t begin = loop.begin;
  for (size_t i = loop.begin; i + loop.period < loop.end; ++i) {
    if (work[i].token != work[i + loop.period].token) begin = i + 1;
    if (i + 1 - begin <= longest) continue;
    longest = i + 1 - begin;
    best.begin = begin;
    best.end = i + loop.period + 1;
  }
  return best;
}

/// Where in the regular part the host takes longest before the launch, summed over turns: a launch of a turn's first.
size_t first_of_turn(const Trace& trace, Work work, const LaunchLoop& loop) {
  const LaunchLoop part = regular_part(work, loop);
  std::vector<int64_t> before(loop.period, 0);
  for (size_t i = std::max<size_t>(part.begin, 1); i < part.end; ++i) {
    before[(i - part.begin) % loop.period] += host_gap(trace, work, i);
  }
  return part.begin + static_cast<size_t>(std::ranges::max_element(before) - before.begin());
}

/// Launches that a turn begins with, so many of them that places inside a turn seldom look alike.
class TurnStart {
 public:
  TurnStart(Work work, const LaunchLoop& loop, size_t first) : work_(work), first_(first), loop_(loop) {}

  [[nodiscard]] bool at(size_t i) const {
    constexpr size_t kCompared = 8;
    const size_t length = std::min(kCompared, loop_.period);
    if (i + length > loop_.end) return false;
    for (size_t k = 0; k < length; ++k) {
      if (work_[i + k].token != work_[first_ + k].token) return false;
    }
    return true;
  }
  /// Where the turn after the one at `i` begins: nearest to a period later. loop.end where none begins.
  [[nodiscard]] size_t next(size_t i) const {
    const size_t expected = i + loop_.period;
    for (size_t off = 0; off <= loop_.period / 2; ++off) {
      if (at(expected + off)) return expected + off;
      if (off < expected - i && at(expected - off)) return expected - off;
    }
    for (size_t j = expected + 1; j < loop_.end; ++j) {
      if (at(j)) return j;
    }
    return loop_.end;
  }
  /// The first turn of the loop.
  [[nodiscard]] size_t first() const {
    size_t i = loop_.begin + (first_ - loop_.begin) % loop_.period;
    while (i < first_ && !at(i)) i += loop_.period;
    return i;
  }

 private:
  Work work_;
  size_t first_;
  LaunchLoop loop_;
};

Span turn_span(const Trace& trace, Work work, size_t begin, size_t end) {
  const auto start = [&](size_t i) { return trace.api.start[work[i].call]; };
  return {start(begin), end < work.size() ? start(end) : trace.api.end[work.back().call]};
}

/// The turns of a loop from its starts. The end of the last is not known where nothing follows at once.
std::vector<Span> turns_from(const Trace& trace, Work work, const std::vector<size_t>& starts, size_t period) {
  std::vector<Span> turns;
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    // Where another turn was expected and is not there, something else ran: the turn has its own length.
    turns.push_back(turn_span(trace, work, starts[i], std::min(starts[i + 1], starts[i] + 2 * period)));
  }
  if (turns.size() + 1 == kMinSequenceTurns && starts.back() + period <= work.size()) {
    Span last = turn_span(trace, work, starts.back(), work.size());
    last.second = trace.api.end[work[starts.back() + period - 1].call];
    turns.push_back(last);
  }
  return turns;
}

/// The loop's turns that launch the same.
std::optional<LaunchRepetition> equal_turns(const Trace& trace, Work work, const LaunchLoop& loop) {
  const TurnStart start(work, loop, first_of_turn(trace, work, loop));
  std::vector<size_t> starts;
  for (size_t i = start.first(); i < loop.end && start.at(i); i = start.next(i)) starts.push_back(i);
  if (starts.empty()) return std::nullopt;
  LaunchRepetition found;
  found.launches = loop.period;
  found.first_call = work[starts.back()].call;
  found.turns = turns_from(trace, work, starts, loop.period);
  return found.turns.size() < kMinSequenceTurns ? std::nullopt : std::optional(found);
}

/// Turns that begin with the same launch and are alike.
std::optional<LaunchRepetition> alike_loop(const Trace& trace, Work work) {
  std::vector<TurnToken> tokens;
  for (size_t i = 0; i < work.size(); ++i) tokens.push_back({work[i].token, host_gap(trace, work, i)});
  const std::vector<size_t> starts = similar_turns(tokens);
  if (starts.empty()) return std::nullopt;
  std::vector<size_t> sizes;
  LaunchRepetition found;
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    sizes.push_back(starts[i + 1] - starts[i]);
    found.turns.push_back(turn_span(trace, work, starts[i], starts[i + 1]));
  }
  std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2));
  found.launches = sizes[sizes.size() / 2];
  found.varies = true;
  found.first_call = work[starts.front()].call;
  return found;
}

/// Of the list's GPU time in the window, what is launched within the loop.
double gpu_share(const LaunchList& list, const Span& window, const LaunchRepetition& loop) {
  const int64_t all = list.gpu_ns(window);
  const Span span{loop.turns.front().first, loop.turns.back().second};
  return all > 0 ? static_cast<double>(list.gpu_ns(span)) / static_cast<double>(all) : 1;
}

}  // namespace

std::optional<LaunchRepetition> find_launch_repetition(const Launches& launches, ThreadId thread, const Span& window) {
  const Trace& trace = launches.trace();
  const LaunchList& list = launches.of_thread(thread);
  const size_t offset = list.from(window.first);
  const Work work = Work(list.work).subspan(offset, list.from(window.second) - offset);
  if (work.size() < kMinSequenceTurns) return std::nullopt;
  const auto loop = best_loop(list, offset, work);
  auto found = loop ? equal_turns(trace, work, *loop) : std::nullopt;
  constexpr double kMost = 0.5;
  if (!found || gpu_share(list, window, *found) < kMost) {
    auto alike = alike_loop(trace, work);
    if (alike && gpu_share(list, window, *alike) >= kMost) found = std::move(alike);
  }
  if (found) found->thread = thread;
  return found;
}

}  // namespace sonde
