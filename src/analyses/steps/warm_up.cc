#include "analyses/steps/warm_up.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "analyses/steps/launch_repetition.h"
#include "analyses/tables/distribution.h"
#include "trace/columns.h"
#include "trace/kernel_name.h"

namespace sonde {
namespace {

/// Fewer turns than this do not tell a warm-up from noise.
constexpr size_t kMinIterations = 5;
/// A turn belongs to the warm-up when it takes this much longer than the median of the later half.
constexpr double kClearlyLonger = 1.25;

/// Iterations follow each other: they fill this much of the time from the first to the last,
constexpr double kMinFilled = 0.6;
/// and that time is this much of the run.
constexpr double kMinOfRun = 0.5;

/// The turns of one repeated range, on one thread and of one domain.
struct Turns {
  std::string range;
  std::vector<int64_t> durations;
  std::vector<int64_t> starts;
  int64_t total = 0;
  int64_t first_start = kUnknown;
  int64_t last_end = kUnknown;
  bool overlaps = false;  ///< it nests in itself: not an iteration
};

void add_turn(Turns& turns, int64_t start, int64_t end) {
  turns.overlaps = turns.overlaps || (turns.last_end != kUnknown && start < turns.last_end);
  if (turns.durations.empty()) turns.first_start = start;
  turns.last_end = end;
  turns.durations.push_back(end - start);
  turns.starts.push_back(start);
  turns.total += turns.durations.back();
}

using TurnsKey = std::tuple<ThreadId, DomainId, std::string_view>;

/// An operator is no step; but before 2021 torch.profiler recorded its steps as operators.
bool can_be_step(const Trace& trace, Row range) {
  const DomainKind kind = trace.domains[trace.ranges.domain[range]].kind;
  if (kind == DomainKind::op) return trace.name(trace.ranges.name[range]).starts_with("ProfilerStep");
  return kind != DomainKind::python;
}

/// Ranges that no other range of their domain holds: iterations are not found inside of iterations.
std::map<TurnsKey, Turns> outermost_ranges(const Trace& trace, std::vector<std::string>& labels) {
  const Ranges& r = trace.ranges;
  labels.assign(trace.names.size(), {});
  std::map<TurnsKey, Turns> found;
  for (Row row = 0; row < row_count(r); ++row) {
    if (r.parent[row] != kNone || r.end[row] == kUnknown || !can_be_step(trace, row)) continue;
    std::string& label = labels[r.name[row]];
    if (label.empty()) label = without_numbers(trace.name(r.name[row]));
    add_turn(found[{r.thread[row], r.domain[row], label}], r.start[row], r.end[row]);
  }
  return found;
}

Turns turns_of(const Trace& trace, const LaunchRepetition& launches) {
  Turns turns;
  turns.range = fmt::format("{} launches from {}", launches.launches, short_kernel_name(trace.name(launches.first)));
  for (const Span& turn : launches.turns) add_turn(turns, turn.first, turn.second);
  return turns;
}

/// Whether the turns fill most of the run, one after the other.
bool fill_run(const Turns& turns, int64_t run_ns) {
  if (turns.overlaps) return false;
  const auto span = static_cast<double>(turns.last_end - turns.first_start);
  return static_cast<double>(turns.total) >= kMinFilled * span && span >= kMinOfRun * static_cast<double>(run_ns);
}

/// Of the run's time, that in which it had begun to work: loading Python's modules is no part of it, and is recorded
/// where OS calls are. From the first range or operation of a GPU to the end of the last.
int64_t working_ns(const Trace& trace, int64_t run_ns) {
  int64_t begin = std::numeric_limits<int64_t>::max();
  int64_t end = std::numeric_limits<int64_t>::min();
  const auto cover = [&](const auto& table) {
    for (size_t row = 0; row < row_count(table); ++row) {
      begin = std::min(begin, table.start[row]);
      if (table.end[row] != kUnknown) end = std::max(end, table.end[row]);
    }
  };
  cover(trace.ranges);
  cover(trace.kernels);
  cover(trace.copies);
  cover(trace.sets);
  cover(trace.graph_launches);
  return begin < end ? std::min(run_ns, end - begin) : run_ns;
}

WarmUp judge(const Turns& turns) {
  const std::vector<int64_t>& durations = turns.durations;
  std::vector<int64_t> later(durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2), durations.end());
  const double usual = distribution_of(later).median;
  const auto slow_end =
      std::ranges::find_if(durations, [&](int64_t d) { return static_cast<double>(d) <= usual * kClearlyLonger; });
  WarmUp warm_up;
  warm_up.range = turns.range;
  warm_up.iterations = static_cast<int64_t>(durations.size());
  warm_up.slow_iterations = slow_end - durations.begin();
  std::vector<int64_t> slow(durations.begin(), slow_end);
  std::vector<int64_t> rest(slow_end, durations.end());
  for (size_t i = slow.size(); i < durations.size(); ++i) {
    warm_up.steady.emplace_back(turns.starts[i], turns.starts[i] + durations[i]);
  }
  warm_up.slow_mean_ns = distribution_of(slow).mean;
  warm_up.median_ns = distribution_of(rest).median;
  return warm_up;
}

/// How many turns a range may have to count.
struct TurnCount {
  size_t least = 2;
  size_t most = std::numeric_limits<size_t>::max();
};

/// Of the ranges that fill the run with so many turns, and for which `counts(key)` is true, the one that takes most
/// time.
template <typename Counts>
std::optional<Turns> longest_turns(const std::map<TurnsKey, Turns>& all, int64_t run_ns, TurnCount count,
                                   Counts counts) {
  const std::pair<const TurnsKey, Turns>* best = nullptr;
  for (const auto& entry : all) {
    const Turns& turns = entry.second;
    const size_t n = turns.durations.size();
    if (n < count.least || n > count.most || !fill_run(turns, run_ns) || !counts(entry.first)) continue;
    if (best == nullptr || turns.total > best->second.total) best = &entry;
  }
  if (best == nullptr) return std::nullopt;
  Turns found = best->second;
  found.range = std::get<std::string_view>(best->first);
  return found;
}

std::optional<Turns> repeated_range(const Trace& trace, int64_t run_ns, TurnCount count) {
  if (trace.ranges.parent.empty()) return std::nullopt;
  std::vector<std::string> labels;
  return longest_turns(outermost_ranges(trace, labels), run_ns, count, [](const TurnsKey&) { return true; });
}

RankId rank_of(const Trace& trace, ThreadId thread) {
  return thread == kNone ? kNone : trace.processes[trace.threads[thread].process].rank;
}

/// The turns but the first `dropped`.
RankTurns without_first(RankId rank, const Turns& turns, int64_t dropped) {
  RankTurns kept{.rank = rank, .steady = {}};
  for (auto i = static_cast<size_t>(dropped); i < turns.starts.size(); ++i) {
    kept.steady.emplace_back(turns.starts[i], turns.starts[i] + turns.durations[i]);
  }
  return kept;
}

/// For each rank the turns of that range, absent where it does not repeat there.
std::vector<std::optional<Turns>> ranges_by_rank(const Trace& trace, const WarmUp& found, int64_t run_ns) {
  std::vector<std::string> labels;
  const auto all = outermost_ranges(trace, labels);
  std::vector<std::optional<Turns>> turns;
  for (RankId rank = 0; rank < trace.ranks.size(); ++rank) {
    turns.push_back(longest_turns(all, run_ns, {.least = kMinIterations}, [&](const TurnsKey& key) {
      return std::get<std::string_view>(key) == found.range && rank_of(trace, std::get<0>(key)) == rank;
    }));
  }
  return turns;
}

/// The same for launches that repeat.
std::vector<std::optional<Turns>> launches_by_rank(const Trace& trace, const WarmUp& found, int64_t run_ns) {
  std::vector<std::optional<Turns>> turns;
  for (RankId rank = 0; rank < trace.ranks.size(); ++rank) {
    const auto launches = find_launch_repetition(trace, rank);
    turns.push_back(launches ? std::optional(turns_of(trace, *launches)) : std::nullopt);
    if (turns.back() && (turns.back()->range != found.range || !fill_run(*turns.back(), run_ns))) turns.back().reset();
  }
  return turns;
}

}  // namespace

std::string without_numbers(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) text += c;
    if (digit && !text.ends_with('#')) text += '#';
  }
  return text;
}

std::optional<WarmUp> find_warm_up(const Trace& trace, int64_t total_ns) {
  const int64_t run_ns = working_ns(trace, total_ns);
  if (const auto turns = repeated_range(trace, run_ns, {.least = kMinIterations})) {
    return judge(*turns);
  }
  // Where a framework recorded its operators and no step among them, what repeats are a model's layers.
  const bool has_operators =
      std::ranges::any_of(trace.domains, [](const Domain& d) { return d.kind == DomainKind::op; });
  const auto launches = has_operators ? std::nullopt : find_launch_repetition(trace);
  if (!launches) return std::nullopt;
  const Turns turns = turns_of(trace, *launches);
  if (!fill_run(turns, run_ns)) return std::nullopt;
  WarmUp found = judge(turns);
  found.thread = launches->thread;
  return found;
}

std::vector<RankTurns> turns_by_rank(const Trace& trace, const WarmUp& found, int64_t total_ns) {
  if (trace.ranks.size() < 2) return {{.rank = 0, .steady = found.steady}};
  const int64_t run_ns = working_ns(trace, total_ns);
  const auto turns =
      found.thread == kNone ? ranges_by_rank(trace, found, run_ns) : launches_by_rank(trace, found, run_ns);
  std::vector<RankTurns> by_rank;
  for (RankId rank = 0; rank < turns.size(); ++rank) {
    if (!turns[rank]) continue;
    RankTurns kept = without_first(rank, *turns[rank], found.slow_iterations);
    if (!kept.steady.empty()) by_rank.push_back(std::move(kept));
  }
  return by_rank;
}

std::optional<WarmUp> unfinished_warm_up(const Trace& trace, int64_t total_ns) {
  const auto turns = repeated_range(trace, working_ns(trace, total_ns), {.least = 2, .most = kMinIterations - 1});
  if (!turns) return std::nullopt;
  const auto last = turns->durations.rbegin();
  if (static_cast<double>(*std::next(last)) <= kClearlyLonger * static_cast<double>(*last)) return std::nullopt;
  WarmUp few;
  few.range = turns->range;
  few.iterations = few.slow_iterations = static_cast<int64_t>(turns->durations.size());
  return few;
}

}  // namespace sonde
