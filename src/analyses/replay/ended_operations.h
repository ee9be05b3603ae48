#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sonde {

/// When an operation is over in the replay, for what waits for it.
struct EndedOperation {
  int64_t recorded_ns;
  int64_t for_gpu_ns;
  int64_t for_host_ns;
};

/// Operations that have ended in a replay, by recorded end, those with equal ends as they were added. Of more than 64
/// the earliest is forgotten: what waits for an end waits for one of the last.
class EndedOperations {
 public:
  void add(const EndedOperation& ended) {
    const auto at = std::ranges::upper_bound(ended_.begin() + first_, ended_.end(), ended.recorded_ns, {},
                                             &EndedOperation::recorded_ns);
    ended_.insert(at, ended);
    constexpr std::ptrdiff_t kRemembered = 64;
    if (std::ssize(ended_) - first_ > kRemembered) ++first_;
    if (first_ < kRemembered) return;
    ended_.erase(ended_.begin(), ended_.begin() + first_);
    first_ = 0;
  }

  /// The last that ended at this time or before.
  [[nodiscard]] std::optional<EndedOperation> last_until(int64_t time_ns) const {
    const auto first = ended_.begin() + first_;
    const auto next = std::ranges::upper_bound(first, ended_.end(), time_ns, {}, &EndedOperation::recorded_ns);
    if (next == first) return std::nullopt;
    return *(next - 1);
  }

 private:
  std::vector<EndedOperation> ended_;
  std::ptrdiff_t first_ = 0;  ///< those before it are forgotten
};

}  // namespace sonde
