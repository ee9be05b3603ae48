#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>

namespace sonde::dispatch {

/// How fast tasks left the queue lately: for how long to wait before the next submission.
class StartRate {
 public:
  void started(int64_t now_ns) {
    starts_.push_back(now_ns);
    if (starts_.size() > kRemembered) starts_.pop_front();
  }

  /// Until so many places are free, by the rate of the last starts, 1 s to an hour; where none has started yet, 10 s.
  [[nodiscard]] int64_t seconds_until(int64_t places, int64_t now_ns) const {
    if (starts_.empty()) return kUnknown;
    const double span_s = static_cast<double>(now_ns - starts_.front()) / 1e9;
    const double each_s = span_s / static_cast<double>(starts_.size());
    return static_cast<int64_t>(std::clamp(std::ceil(each_s * static_cast<double>(places)), 1.0, kMax));
  }

 private:
  static constexpr size_t kRemembered = 64;
  static constexpr int64_t kUnknown = 10;
  static constexpr double kMax = 3600;
  std::deque<int64_t> starts_;
};

}  // namespace sonde::dispatch
