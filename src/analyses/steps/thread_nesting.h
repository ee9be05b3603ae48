#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analyses/tables/table.h"
#include "trace/trace.h"

namespace sonde {

/// How closed push/pop ranges lie in one another on their thread, whatever their domains: what Nsight's trace reports
/// mean by level, parent and stack. (Ranges::parent is the nesting inside a domain.)
struct ThreadNesting {
  Ids parent;                   ///< kNone at the bottom of a thread's stack, and for ranges that do not nest
  std::vector<uint32_t> level;  ///< 0 at the bottom
};

/// One sweep over the rows in their order; the sorted table makes a child's row come after its parent's.
[[nodiscard]] ThreadNesting nest_by_thread(const Ranges& ranges);

/// The same for the rows that `taken` is true for, others being looked through. A range that was open when the
/// recording ended holds what comes after its start.
[[nodiscard]] ThreadNesting nest_by_thread(const Ranges& ranges, const std::function<bool(Row)>& taken);

/// Ids of ranges in the reports: 1, 2, ... in the order of start.
[[nodiscard]] inline int64_t range_id(Row row) { return row == kNone ? kUnknown : static_cast<int64_t>(row) + 1; }

/// Many small texts for one table, packed into few blocks that the table keeps.
class TextBlocks {
 public:
  explicit TextBlocks(Table& table) : table_(table) {}
  /// Keeps a copy of the text for the life of the table.
  std::string_view keep(std::string_view text);

 private:
  /// Large enough that a block's own cost does not show, small enough to waste little at the end.
  static constexpr size_t kBlockBytes = 1 << 20;

  Table& table_;
  std::span<char> free_;
};

/// Adds RangeStack, the ids of the ranges from the bottom of the stack up to each of `rows`: ":1:2:5".
void add_range_stacks(Table& table, const ThreadNesting& nesting, std::span<const Row> rows);

}  // namespace sonde
