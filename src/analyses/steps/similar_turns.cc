#include "analyses/steps/similar_turns.h"

#include <algorithm>

#include <boost/unordered/unordered_flat_map.hpp>

namespace sonde {
namespace {

constexpr size_t kFewestTurns = 5;
/// Kinds of launches that could begin a turn, by the host's time before them.
constexpr size_t kMaxStarts = 8;
/// Turns are alike that share this much of their kinds of launches,
constexpr double kMinShared = 0.7;
/// and one that is not costs what this many alike give.
constexpr int64_t kUnlikeCost = 4;

struct Start {
  int64_t host_gap_ns = 0;  ///< sum
  std::vector<size_t> at;
};

/// Launches of a kind behind each other are one: an inner loop.
std::vector<Start> possible_starts(std::span<const TurnToken> launches) {
  boost::unordered_flat_map<uint32_t, Start> by_token;
  for (size_t i = 0; i < launches.size(); ++i) {
    if (i > 0 && launches[i].token == launches[i - 1].token) continue;
    Start& start = by_token[launches[i].token];
    start.host_gap_ns += launches[i].host_gap_ns;
    start.at.push_back(i);
  }
  std::vector<Start> starts;
  for (auto& [token, start] : by_token) {
    if (start.at.size() >= kFewestTurns) starts.push_back(std::move(start));
  }
  std::ranges::sort(starts, [](const Start& a, const Start& b) {
    return a.host_gap_ns != b.host_gap_ns ? a.host_gap_ns > b.host_gap_ns : a.at < b.at;
  });
  if (starts.size() > kMaxStarts) starts.resize(kMaxStarts);
  return starts;
}

using Kinds = std::vector<uint32_t>;

void put_kinds(std::span<const TurnToken> turn, Kinds& kinds) {
  kinds.clear();
  for (const TurnToken& launch : turn) kinds.push_back(launch.token);
  std::ranges::sort(kinds);
  const auto repeated = std::ranges::unique(kinds);
  kinds.erase(repeated.begin(), repeated.end());
}

size_t count_of_both(const Kinds& a, const Kinds& b) {
  size_t both = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i < *j) {
      ++i;
    } else if (*j < *i) {
      ++j;
    } else {
      ++both, ++i, ++j;
    }
  }
  return both;
}

bool are_alike(const Kinds& a, const Kinds& b) {
  const size_t both = count_of_both(a, b);
  const size_t all = a.size() + b.size() - both;
  return a.size() > 1 && static_cast<double>(both) >= kMinShared * static_cast<double>(all);
}

/// The turns [begin, end) between the starts that are alike, nearly.
struct AlikeTurns {
  size_t begin = 0;
  size_t end = 0;
  int64_t sum = 0;
};

AlikeTurns alike_turns(std::span<const TurnToken> launches, const std::vector<size_t>& at) {
  AlikeTurns best;
  AlikeTurns now;
  Kinds before;
  Kinds kinds;
  for (size_t turn = 0; turn + 1 < at.size(); ++turn) {
    put_kinds(launches.subspan(at[turn], at[turn + 1] - at[turn]), kinds);
    if (now.sum <= 0) now = {turn, turn + 1, 1};
    if (turn > now.begin) {
      now.sum += are_alike(before, kinds) ? 1 : -kUnlikeCost;
      now.end = turn + 1;
    }
    if (now.sum > best.sum) best = now;
    before.swap(kinds);
  }
  return best;
}

}  // namespace

std::vector<size_t> similar_turns(std::span<const TurnToken> launches) {
  std::vector<size_t> best;
  size_t covered = 0;
  for (const Start& start : possible_starts(launches)) {
    const AlikeTurns turns = alike_turns(launches, start.at);
    if (turns.end - turns.begin < kFewestTurns) continue;
    const size_t covers = start.at[turns.end] - start.at[turns.begin];
    if (covers <= covered + covered / 10) continue;
    covered = covers;
    best.assign(start.at.begin() + static_cast<std::ptrdiff_t>(turns.begin),
                start.at.begin() + static_cast<std::ptrdiff_t>(turns.end) + 1);
  }
  return best;
}

}  // namespace sonde
