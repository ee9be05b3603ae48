#include "monitor/anomalies/line_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sonde::monitor {
namespace {

constexpr double kHalfLifeMinutes = 14400;
constexpr double kLearnMinutes = 360;
constexpr double kStepWatts = 50;
constexpr double kSeenMinutes = 120;  // at this power, within a step
/// What has been seen for a day at a power is known; later minutes there weigh a tenth, so that a fault that begins
/// within days does not become usual, and dust within months does.
constexpr double kKnownMinutes = 1440;
constexpr double kLateWeight = 0.1;
/// Weight of the expected slope where powers hardly differ: like a spread of 20 W.
constexpr double kPriorWatts = 20;
/// Chips take 1 to 2 minutes to settle (the heat sink's time constant), three of which are 95 %.
constexpr size_t kSteadyMinutes = 5;
constexpr double kSteadyShare = 0.1;
constexpr double kSteadyWatts = 15;

size_t step_of(double watts) { return static_cast<size_t>(std::max(watts, 0.0) / kStepWatts); }

}  // namespace

void LineFit::learn(double watts, double y) {
  static const double a_minute_keeps = std::exp2(-1 / kHalfLifeMinutes);
  const size_t step = step_of(watts);
  if (seen_.size() <= step) seen_.resize(step + 1);
  const double weight = seen_[step] < kKnownMinutes ? 1 : kLateWeight;
  seen_[step] += 1;
  const double keep = std::pow(a_minute_keeps, weight);
  for (double* sum : {&count_, &x_, &y_, &xx_, &xy_}) *sum *= keep;
  count_ += weight;
  x_ += weight * watts;
  y_ += weight * y;
  xx_ += weight * watts * watts;
  xy_ += weight * watts * y;
}

std::optional<double> LineFit::at(double watts) const {
  const size_t step = step_of(watts);
  if (count_ < kLearnMinutes || step >= seen_.size() || seen_[step] < kSeenMinutes) return {};
  const double mean_x = x_ / count_;
  const double mean_y = y_ / count_;
  const double slope = (xy_ - mean_x * y_) / (xx_ - mean_x * x_ + count_ * kPriorWatts * kPriorWatts);
  return mean_y + slope * (watts - mean_x);
}

std::optional<double> SteadyPower::take(std::optional<double> watts) {
  if (!watts) {
    last_.clear();
    return {};
  }
  if (last_.size() == kSteadyMinutes) last_.erase(last_.begin());
  last_.push_back(*watts);
  const auto [low, high] = std::ranges::minmax(last_);
  if (last_.size() < kSteadyMinutes || high - low > std::max(kSteadyWatts, kSteadyShare * high)) return {};
  return std::accumulate(last_.begin(), last_.end(), 0.0) / static_cast<double>(kSteadyMinutes);
}

}  // namespace sonde::monitor
