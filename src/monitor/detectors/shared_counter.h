#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace sonde::monitor {

/// How much a counter grew since the value before. Nothing at the first value, and where it began anew.
class Growth {
 public:
  [[nodiscard]] std::optional<int64_t> take(std::optional<int64_t> value);

 private:
  std::optional<int64_t> last_;
};

/// How much a counter grew within the last `window_s`. A counter that is read seldom counts when it is seen to have
/// grown.
class RecentGrowth {
 public:
  /// Without a value nothing is added, and what is older than the window goes.
  int64_t take(std::optional<int64_t> value, double window_s, int64_t moment_ns);

 private:
  struct Step {
    int64_t moment_ns;
    int64_t growth;
  };
  Growth growth_;
  std::deque<Step> steps_;
  int64_t sum_ = 0;
};

}  // namespace sonde::monitor
