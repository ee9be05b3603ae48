#include "analyses/steps/launch_repetition.h"

#include <algorithm>
#include <map>

#include "trace/columns.h"

namespace sonde {
namespace {

constexpr size_t kMinTurns = 5;
constexpr double kMinRepeated = 0.95;

struct Launch {
  int64_t start;  ///< of the call
  int64_t end;
  NameId kernel;
};

/// Of all ranks for kNone.
ThreadId busiest_thread(const Trace& trace, RankId rank) {
  std::map<ThreadId, size_t> launches;
  for (const Row launch : trace.kernels.launch) {
    if (launch != kNone) ++launches[trace.api.thread[launch]];
  }
  std::erase_if(launches, [&](const auto& of_thread) {
    return rank != kNone && trace.processes[trace.threads[of_thread.first].process].rank != rank;
  });
  const auto most = std::ranges::max_element(launches, {}, [](const auto& of_thread) { return of_thread.second; });
  return most == launches.end() ? kNone : most->first;
}

std::vector<Launch> launches_of(const Trace& trace, ThreadId thread) {
  const Kernels& k = trace.kernels;
  std::vector<Launch> launches;
  for (Row row = 0; row < k.launch.size(); ++row) {
    const Row call = k.launch[row];
    if (call == kNone || trace.api.thread[call] != thread) continue;
    launches.push_back({trace.api.start[call], trace.api.end[call], k.name[row]});
  }
  std::ranges::stable_sort(launches, {}, &Launch::start);
  return launches;
}

/// For each kernel the number of launches that usually lies between two of its own, where that repeats.
std::vector<size_t> possible_periods(const std::vector<Launch>& launches) {
  std::map<NameId, std::vector<size_t>> places;
  for (size_t i = 0; i < launches.size(); ++i) places[launches[i].kernel].push_back(i);
  std::vector<size_t> periods;
  for (const auto& [kernel, at] : places) {
    std::map<size_t, size_t> gaps;
    for (size_t i = 1; i < at.size(); ++i) ++gaps[at[i] - at[i - 1]];
    if (gaps.empty()) continue;
    periods.push_back(std::ranges::max_element(gaps, {}, [](const auto& gap) { return gap.second; })->first);
  }
  std::ranges::sort(periods);
  const auto repeated = std::ranges::unique(periods);
  periods.erase(repeated.begin(), repeated.end());
  return periods;
}

bool repeats(const std::vector<Launch>& launches, size_t period) {
  const size_t first = launches.size() / 10;
  if (period < 2 || first + period * kMinTurns > launches.size()) return false;
  size_t same = 0;
  for (size_t i = first; i + period < launches.size(); ++i) {
    if (launches[i].kernel == launches[i + period].kernel) ++same;
  }
  return static_cast<double>(same) >= kMinRepeated * static_cast<double>(launches.size() - first - period);
}

/// Where in the sequence the host takes longest before the launch.
size_t first_of_turn(const std::vector<Launch>& launches, size_t period) {
  std::vector<int64_t> before(period, 0);
  const size_t first = launches.size() / 10;
  for (size_t i = std::max<size_t>(first, 1); i < launches.size(); ++i) {
    before[i % period] += launches[i].start - launches[i - 1].end;
  }
  return static_cast<size_t>(std::ranges::max_element(before) - before.begin());
}

size_t last_turn(const std::vector<Launch>& launches, size_t period, size_t phase) {
  return (launches.size() - 1 - phase) / period * period + phase;
}

/// The turns between two launches of their first kernel.
std::vector<Span> turns_of(const std::vector<Launch>& launches, size_t period, size_t phase, NameId begins_with) {
  std::vector<Span> turns;
  for (size_t i = phase; i + period < launches.size(); i += period) {
    if (launches[i].kernel == begins_with && launches[i + period].kernel == begins_with) {
      turns.emplace_back(launches[i].start, launches[i + period].start);
    }
  }
  return turns;
}

}  // namespace

std::optional<LaunchRepetition> find_launch_repetition(const Trace& trace, RankId rank) {
  if (trace.kernels.launch.empty() || trace.kernels.name.empty() || trace.api.thread.empty()) return std::nullopt;
  const ThreadId thread = busiest_thread(trace, rank);
  const std::vector<Launch> launches = launches_of(trace, thread);
  for (const size_t period : possible_periods(launches)) {
    if (!repeats(launches, period)) continue;
    const size_t phase = first_of_turn(launches, period);
    const NameId first = launches[last_turn(launches, period, phase)].kernel;
    LaunchRepetition found{thread, period, first, turns_of(launches, period, phase, first)};
    if (found.turns.size() < kMinTurns) return std::nullopt;
    return found;
  }
  return std::nullopt;
}

}  // namespace sonde
