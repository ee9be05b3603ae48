#pragma once

#include "monitor/quality/shared_rule.h"

namespace sonde::monitor::quality {

/// Older values are stale: two intervals, and 5 s at least, since a busy driver takes its time.
[[nodiscard]] int64_t stale_after_ns(int64_t interval_ns);

/// Marks the samples of one GPU, round by round.
class Marker {
 public:
  Marker();
  /// `read_anew`: the sample came in this round; else it is an older one.
  [[nodiscard]] QualityMark mark(const GpuSample& sample, bool read_anew, int64_t now_ns, int64_t interval_ns);

 private:
  std::vector<std::unique_ptr<Check>> checks_;
  QualityMark last_;  ///< of the last sample that was read
};

}  // namespace sonde::monitor::quality
