#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "analyses/gpus/busy_time.h"

namespace sonde {

/// The time that is covered by at least one of spans that come by start.
class CoveredTime {
 public:
  void add(const Span& span) {
    if (empty() || span.first > until_) {
      if (empty()) first_ = span.first;
      ns_ += span.second - span.first;
      until_ = span.second;
    } else if (span.second > until_) {
      ns_ += span.second - until_;
      until_ = span.second;
    }
  }
  [[nodiscard]] bool empty() const { return until_ == kNothing; }
  [[nodiscard]] int64_t ns() const { return ns_; }
  /// From the first start to the last end.
  [[nodiscard]] Span extent() const { return {first_, until_}; }

 private:
  static constexpr int64_t kNothing = std::numeric_limits<int64_t>::min();
  int64_t first_ = 0;
  int64_t until_ = kNothing;
  int64_t ns_ = 0;
};

/// Joins a span with merged ones that start no later.
inline void add_merged(std::vector<Span>& merged, const Span& span) {
  if (!merged.empty() && span.first <= merged.back().second) {
    merged.back().second = std::max(merged.back().second, span.second);
  } else {
    merged.push_back(span);
  }
}

}  // namespace sonde
