#pragma once

#include <deque>
#include <span>
#include <vector>

#include "monitor/history/values.h"

namespace sonde::monitor::history {

/// The last samples of one GPU, by growing moments. A value that the GPU never gives takes no memory.
class Ring {
 public:
  /// Moments that do not grow are left out; where the clock was set back by much, all begins anew.
  void add(int64_t moment_ns, const Values& sample);
  /// Forgets what is older than `before_ns`, and the oldest if there are more than `max`; in blocks of 256.
  void forget(int64_t before_ns, size_t max);

  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  [[nodiscard]] int64_t oldest_ns() const { return blocks_.front().moments_ns.front(); }
  [[nodiscard]] int64_t newest_ns() const { return blocks_.back().moments_ns.back(); }
  [[nodiscard]] size_t size() const;
  [[nodiscard]] size_t bytes() const;
  /// The usual distance of the last samples: their median, in whole seconds, below one in tenths.
  [[nodiscard]] int64_t interval_ns() const;

  /// Moments and values of one value within [from, to): NaN where it was not given.
  template <typename Take>
  void each(size_t value, int64_t from_ns, int64_t to_ns, const Take& take) const {
    for (const Block& block : blocks_) {
      const std::vector<float>& column = block.columns.at(value);
      if (column.empty() || block.moments_ns.back() < from_ns || block.moments_ns.front() >= to_ns) continue;
      for (size_t i = 0; i < block.moments_ns.size(); ++i) {
        if (block.moments_ns[i] >= from_ns && block.moments_ns[i] < to_ns) take(block.moments_ns[i], column[i]);
      }
    }
  }

 private:
  struct Block {
    std::vector<int64_t> moments_ns;
    std::array<std::vector<float>, kValues> columns;  ///< empty, or as long as the moments
  };
  std::deque<Block> blocks_;
};

}  // namespace sonde::monitor::history
