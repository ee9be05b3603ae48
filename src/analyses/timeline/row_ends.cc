#include "analyses/timeline/row_ends.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace sonde {
namespace {

constexpr int64_t kNeverTaken = std::numeric_limits<int64_t>::min();

}  // namespace

size_t RowEnds::first_free(int64_t time, size_t least) const {
  if (least >= leaves_) return least;
  size_t node = leaves_ + least;
  while (least_[node] > time) {
    while ((node & 1U) != 0) node /= 2;  // up while it is a right child
    if (node == 0) return leaves_;
    ++node;
  }
  while (node < leaves_) {
    node *= 2;
    if (least_[node] > time) ++node;
  }
  return node - leaves_;
}

void RowEnds::take(size_t row, int64_t until) {
  if (row >= leaves_) grow(row + 1);
  size_t node = leaves_ + row;
  least_[node] = until;
  while ((node /= 2) > 0) least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
}

void RowEnds::grow(size_t rows) {
  const std::vector<int64_t> before = std::move(least_);
  const size_t taken = leaves_;
  leaves_ = std::bit_ceil(rows);
  least_.assign(2 * leaves_, kNeverTaken);
  for (size_t row = 0; row < taken; ++row) least_[leaves_ + row] = before[taken + row];
  for (size_t node = leaves_; --node > 0;) least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
}

}  // namespace sonde
