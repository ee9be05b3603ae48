#include "monitor/anomalies/baseline.h"

#include <algorithm>
#include <cmath>

namespace sonde::monitor {
namespace {

constexpr size_t kMinutesOfHour = 60;
constexpr size_t kMaxHours = 336;  // 14 days: two of each day of the week
constexpr double kNormal = 1.4826;

}  // namespace

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

void Baseline::add(double value, double limit) {
  minutes_.push_back(value);
  if (minutes_.size() < kMinutesOfHour) return;
  const double hour = median_of(minutes_);
  minutes_.clear();
  if (!ready() || std::abs(hour - median_) < limit / 2) learn(hour);
}

void Baseline::learn(double hour) {
  if (hours_.size() < kMaxHours) {
    hours_.push_back(hour);
  } else {
    hours_[next_] = hour;
    next_ = (next_ + 1) % kMaxHours;
  }
  std::vector<double> sorted = hours_;
  median_ = median_of(sorted);
  for (double& one : sorted) one = std::abs(one - median_);
  spread_ = kNormal * median_of(sorted);
}

bool Sustained::take(double deviation, const SustainedLimits& limits) {
  if (last_.size() < limits.minutes) {
    last_.push_back(deviation);
  } else {
    last_[next_] = deviation;
    next_ = (next_ + 1) % last_.size();
  }
  if (last_.size() < limits.minutes) return on_;
  sorted_ = last_;
  deviation_ = median_of(sorted_);
  on_ = deviation_ > (on_ ? limits.off : limits.on);
  return on_;
}

}  // namespace sonde::monitor
