#include "monitor/detectors/shared_counter.h"

#include <utility>

namespace sonde::monitor {

std::optional<int64_t> Growth::take(std::optional<int64_t> value) {
  if (!value) return std::nullopt;
  const auto before = std::exchange(last_, value);
  if (!before || *value < *before) return std::nullopt;
  return *value - *before;
}

int64_t RecentGrowth::take(std::optional<int64_t> value, double window_s, int64_t moment_ns) {
  const int64_t growth = growth_.take(value).value_or(0);
  if (growth > 0) {
    steps_.push_back({moment_ns, growth});
    sum_ += growth;
  }
  // After the clock was set back, what grew before counts as if it had grown now.
  for (auto step = steps_.rbegin(); step != steps_.rend() && step->moment_ns > moment_ns; ++step) {
    step->moment_ns = moment_ns;
  }
  const auto window_ns = static_cast<int64_t>(window_s * 1e9);
  while (!steps_.empty() && steps_.front().moment_ns + window_ns <= moment_ns) {
    sum_ -= steps_.front().growth;
    steps_.pop_front();
  }
  return sum_;
}

}  // namespace sonde::monitor
