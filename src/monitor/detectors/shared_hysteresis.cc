#include "monitor/detectors/shared_hysteresis.h"

#include <algorithm>

namespace sonde::monitor {

bool Hysteresis::take(std::optional<double> value, const Limits& limits, int64_t moment_ns) {
  if (!value || (on_ ? *value > limits.off : *value <= limits.on)) {
    turning_since_ns_.reset();
    return on_;
  }
  // A clock that was set back must not make it wait until it has caught up.
  turning_since_ns_ = std::min(turning_since_ns_.value_or(moment_ns), moment_ns);
  const double turning_s = static_cast<double>(moment_ns - *turning_since_ns_) / 1e9;
  if (turning_s < (on_ ? limits.off_after_s : limits.on_after_s)) return on_;
  on_ = !on_;
  turning_since_ns_.reset();
  return on_;
}

}  // namespace sonde::monitor
