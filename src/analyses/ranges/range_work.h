#pragma once

#include <vector>

#include "trace/trace.h"

namespace sonde {

/// Gives each row's value to its parent with `add(parent_row, child_row)`, innermost rows first, so that in the end a
/// row holds its own and all below it. A child's row comes after its parent's.
template <typename Add>
void fold_into_parents(const Ids& parent, Add add) {
  for (size_t row = parent.size(); row-- > 0;) {
    if (parent[row] != kNone) add(parent[row], static_cast<Row>(row));
  }
}

/// Calls `f(ops, row)` for each GPU operation whose launching call is known.
template <typename F>
void for_each_launched(const Trace& trace, F&& f) {
  for_each_gpu_table(trace, [&](const auto& ops) {
    for (Row row = 0; row < ops.launch.size(); ++row) {
      if (ops.launch[row] != kNone) f(ops, row);
    }
  });
}

/// The GPU operations that each closed range launched, those of the ranges inside it among them: an operation belongs
/// to every range that holds its launching call on the range's thread.
struct RangeWork {
  std::vector<uint32_t> ops;
  Times first_start;  ///< start of the first operation, where there is one
  Times last_end;     ///< end of the last one
};

/// Push/pop ranges by a fold over their parents; start/end ranges where they begin and end on one thread.
[[nodiscard]] RangeWork work_of_ranges(const Trace& trace);

}  // namespace sonde
