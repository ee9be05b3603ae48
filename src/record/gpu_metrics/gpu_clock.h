#pragma once

#include <cstdint>
#include <vector>

#include "wire/gpu_metrics_record.h"

namespace sonde::record {

/// Of the GPU's clock, or ours: others are damage, and sums of them would overflow.
[[nodiscard]] bool is_time(int64_t ns);
[[nodiscard]] inline bool has_times(const wire::GpuClockBody& clock) {
  return is_time(clock.gpu) && is_time(clock.monotonic);
}

/// A GPU's own clock as CLOCK_MONOTONIC. CUPTI does not say what clock the times of its samples are of, and tells
/// nothing to compare it with: it is known only that a sample ended before it was decoded, and that the first began
/// after sampling was started. The two bound how far the clock is ahead; what the first says is taken again each
/// second, since clocks drift, and the true distance to it is taken for half of what the second leaves.
class GpuClock {
 public:
  void add(const wire::GpuClockBody& clock);
  /// After all that there is to add.
  void settle();

  /// To be called now and then where nobody asks for times so far: leaves out what changes nothing of later ones. What
  /// stays are kMaxBounds at the most.
  void forget_old();
  static constexpr size_t kMaxBounds = 64;
  /// What was added and not left out.
  [[nodiscard]] std::vector<wire::GpuClockBody> bounds(uint32_t device) const;

  [[nodiscard]] int64_t to_monotonic(int64_t gpu) const;
  /// Times may be wrong by so much, to either side; 0 where the clock is CLOCK_MONOTONIC itself.
  [[nodiscard]] int64_t error_ns() const { return error_ns_; }

 private:
  struct Bound {
    int64_t gpu;
    int64_t ahead;
  };

  [[nodiscard]] static wire::GpuClockBody body_of(const Bound& bound, uint32_t device, bool is_before) {
    return {bound.gpu, bound.gpu - bound.ahead, device, is_before ? 1U : 0U};
  }

  [[nodiscard]] int64_t least_ahead(int64_t gpu) const;
  /// How far the two bounds are apart there.
  [[nodiscard]] int64_t slack_at(const Bound& most) const { return most.ahead - least_ahead(most.gpu); }
  void forget_most(int64_t recent);
  void forget_least();
  [[nodiscard]] bool may_be_monotonic() const;

  std::vector<Bound> least_;  ///< the clock is at least so far ahead: the best of each second
  std::vector<Bound> most_;
  int64_t slack_ns_ = 0;
  int64_t error_ns_ = 0;
  bool is_monotonic_ = false;
};

}  // namespace sonde::record
