#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "trace/columns.h"
#include "trace/trace.h"

namespace sonde {

/// Calls `f(table, row)` for each operation on a GPU in the order of start, those that start together in the order of
/// for_each_gpu_table(). Of all operations, or of those that start in [from, until). O(n), with room for nothing.
template <typename F>
void for_each_operation_by_start(const Trace& trace, F&& f, int64_t from = std::numeric_limits<int64_t>::min(),
                                 int64_t until = std::numeric_limits<int64_t>::max()) {
  struct Left {
    const GpuOps* table;
    Row next;
    [[nodiscard]] int64_t start() const {
      return next < row_count(*table) ? table->start[next] : std::numeric_limits<int64_t>::max();
    }
  };
  std::array<Left, 4> left{};
  size_t tables = 0;
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    const auto first = std::ranges::lower_bound(ops.start, from) - ops.start.begin();
    left[tables++] = {&ops, static_cast<Row>(first)};
  });
  for (;;) {
    const auto first = std::ranges::min_element(left, {}, &Left::start);
    if (first->start() >= until) return;
    int64_t before = until;                                // of the tables that come first where starts are equal
    int64_t behind = std::numeric_limits<int64_t>::max();  // of the others
    for (auto other = left.begin(); other != first; ++other) before = std::min(before, other->start());
    for (auto other = first + 1; other != left.end(); ++other) behind = std::min(behind, other->start());
    for (; first->start() < before && first->start() <= behind; ++first->next) f(*first->table, first->next);
  }
}

}  // namespace sonde
