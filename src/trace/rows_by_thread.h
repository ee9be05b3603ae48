#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "trace/events.h"

namespace sonde {

/// Rows of a sorted table, thread by thread: rows_of(t) are those of thread t, still in their order.
class RowsByThread {
 public:
  RowsByThread(const Ids& thread, size_t threads) : first_(threads + 2, 0), rows_(thread.size()) {
    for (const ThreadId t : thread) ++first_[slot(t) + 1];
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<size_t> next(first_.begin(), first_.end() - 1);
    for (size_t row = 0; row < thread.size(); ++row) rows_[next[slot(thread[row])]++] = static_cast<Row>(row);
  }

  [[nodiscard]] std::span<const Row> rows_of(ThreadId thread) const {
    return std::span(rows_).subspan(first_[thread], first_[thread + 1] - first_[thread]);
  }

 private:
  /// Rows without a thread go behind the last thread.
  [[nodiscard]] size_t slot(ThreadId thread) const { return std::min<size_t>(thread, first_.size() - 2); }
  std::vector<size_t> first_;
  std::vector<Row> rows_;
};

}  // namespace sonde
