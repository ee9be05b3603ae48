#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sonde {

/// When each row of a track is free again. There are as many rows as anyone asks for; one that was never taken is free.
class RowEnds {
 public:
  /// The first row from `least` on that is free at `time`. O(log n) of the rows that were taken.
  [[nodiscard]] size_t first_free(int64_t time, size_t least) const;
  void take(size_t row, int64_t until);

 private:
  void grow(size_t rows);

  size_t leaves_ = 0;           ///< a power of two, or 0
  std::vector<int64_t> least_;  ///< a binary tree in the order of a heap: the least end of the rows below each node
};

}  // namespace sonde
