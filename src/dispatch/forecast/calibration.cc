#include "dispatch/forecast/calibration.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sonde::dispatch::forecast {
namespace {

constexpr size_t kLast = 300;   ///< starts of a kind that are remembered
constexpr size_t kFewest = 20;  ///< from which on a kind is its own
constexpr double kMiss =
    0.075;  ///< of starts, on each side: two of them leave 85 %, of which changes over the day take some
constexpr double kStep = 0.02;     ///< of the level after each start: half of a lasting change is followed in 50 starts
constexpr double kFarthest = 0.0;  ///< no level below the outermost error
constexpr double kNearest = 0.45;

/// Kinds of waits, by their ends.
size_t wait_kind(const Played& played) {
  constexpr auto kEnds_s = std::to_array<int64_t>({10, 60, 300, 1200, 3600});
  const int64_t wait_s = (played.likely_ns - played.said_ns) / 1'000'000'000;
  return static_cast<size_t>(std::ranges::upper_bound(kEnds_s, wait_s) - kEnds_s.begin());
}

void push(std::deque<double>& errors, double error) {
  if (errors.size() == kLast) errors.pop_front();
  errors.push_back(error);
}

/// With the correction for few values: the rank is of n + 1.
double quantile(const std::vector<double>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() + 1) - 1;
  const auto at = std::clamp<double>(std::round(rank), 0, static_cast<double>(sorted.size() - 1));
  return sorted[static_cast<size_t>(at)];
}

}  // namespace

const Calibration::Errors* Calibration::alike(const Played& played) const {
  const size_t kind = wait_kind(played);
  const auto nearest = by_priority_and_wait_.find({played.priority, kind});
  if (nearest != by_priority_and_wait_.end() && nearest->second.size() >= kFewest) return &nearest->second;
  const auto near = by_wait_.find(kind);
  if (near != by_wait_.end() && near->second.size() >= kFewest) return &near->second;
  return all_.size() >= kFewest ? &all_ : nullptr;
}

Offsets Calibration::offsets(const Played& played) const {
  const Errors* const errors = alike(played);
  if (errors == nullptr) return {};
  std::vector<double> sorted(errors->begin(), errors->end());
  std::ranges::sort(sorted);
  const auto found = levels_.find(wait_kind(played));
  const Levels moved = found == levels_.end() ? Levels{} : found->second;
  const double low = std::clamp(kMiss + moved.low, kFarthest, kNearest);
  const double high = std::clamp(kMiss + moved.high, kFarthest, kNearest);
  return {.low = quantile(sorted, low), .middle = quantile(sorted, 0.5), .high = quantile(sorted, 1 - high)};
}

void Calibration::learn(const Played& played, int64_t started_ns, bool was_early, bool was_late) {
  const double error = static_cast<double>(started_ns - played.likely_ns) / static_cast<double>(played.scale_ns);
  const size_t kind = wait_kind(played);
  push(by_priority_and_wait_[{played.priority, kind}], error);
  push(by_wait_[kind], error);
  push(all_, error);
  Levels& levels = levels_[kind];
  constexpr double kMax = 0.3;
  levels.low = std::clamp(levels.low + kStep * (kMiss - (was_early ? 1.0 : 0.0)), -kMax, kMax);
  levels.high = std::clamp(levels.high + kStep * (kMiss - (was_late ? 1.0 : 0.0)), -kMax, kMax);
}

}  // namespace sonde::dispatch::forecast
