#pragma once

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
    ended_.insert(behind(ended.recorded_ns), ended);
    constexpr std::ptrdiff_t kRemembered = 64;
    if (std::ssize(ended_) - first_ > kRemembered) ++first_;
    if (first_ < kRemembered) return;
    ended_.erase(ended_.begin(), ended_.begin() + first_);
    first_ = 0;
  }

  /// The last that ended at this time or before.
  [[nodiscard]] std::optional<EndedOperation> last_until(int64_t time_ns) const {
    const auto next = behind(time_ns);
    if (next == ended_.begin() + first_) return std::nullopt;
    return *(next - 1);
  }

 private:
  /// The place of the first that ended later. Few did: operations are added nearly by their end.
  [[nodiscard]] std::vector<EndedOperation>::const_iterator behind(int64_t time_ns) const {
    auto at = ended_.end();
    while (at != ended_.begin() + first_ && (at - 1)->recorded_ns > time_ns) --at;
    return at;
  }

  std::vector<EndedOperation> ended_;
  std::ptrdiff_t first_ = 0;  ///< those before it are forgotten
};

}  // namespace sonde
