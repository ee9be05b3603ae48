#pragma once

#include <algorithm>
#include <vector>

#include "findings/rule.h"

namespace sonde {

/// Idle time that findings explain already.
class ClaimedIdleTime {
 public:
  explicit ClaimedIdleTime(const Claims& claims) : spans_(claims.idle) {
    for (auto& of_gpu : spans_) merge_spans(of_gpu);
  }
  [[nodiscard]] bool holds(uint32_t gpu, int64_t time) const {
    const auto& of_gpu = spans_[gpu];
    const auto next = std::ranges::upper_bound(of_gpu, time, {}, &Span::first);
    return next != of_gpu.begin() && time < std::prev(next)->second;
  }

 private:
  std::vector<std::vector<Span>> spans_;
};

}  // namespace sonde
