#pragma once

#include <cstdint>
#include <vector>

#include "wire/gpu_metrics_record.h"

namespace sonde::record {

/// A GPU's own clock as CLOCK_MONOTONIC. CUPTI does not say what clock the times of its samples are of, and tells
/// nothing to compare it with: it is known only that a sample ended before it was decoded, and that the first began
/// after sampling was started. The two bound how far the clock is ahead; what the first says is taken anew each second,
/// since clocks drift, and the true distance to it is taken for half of what the second leaves.
class GpuClock {
 public:
  void add(const wire::GpuClockBody& clock);
  /// After all that there is to add.
  void settle();

  [[nodiscard]] int64_t to_monotonic(int64_t gpu) const;
  /// Times may be wrong by so much, to either side; 0 where the clock is CLOCK_MONOTONIC itself.
  [[nodiscard]] int64_t error_ns() const { return error_ns_; }

 private:
  struct Bound {
    int64_t gpu;
    int64_t ahead;
  };

  [[nodiscard]] int64_t least_ahead(int64_t gpu) const;
  [[nodiscard]] bool may_be_monotonic() const;

  std::vector<Bound> least_;  ///< the clock is at least so far ahead: the best of each second
  std::vector<Bound> most_;
  int64_t slack_ns_ = 0;
  int64_t error_ns_ = 0;
  bool is_monotonic_ = false;
};

}  // namespace sonde::record
