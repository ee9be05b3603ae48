#include "analyses/steps/thread_nesting.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <ranges>

#include "analyses/ranges/range_label.h"
#include "trace/columns.h"

namespace sonde {
namespace {

int64_t end_of(const Ranges& ranges, Row row) {
  return is_closed(ranges, row) ? ranges.end[row] : std::numeric_limits<int64_t>::max();
}

/// A range that ends where the other begins does not hold it, unless it takes no time itself (as in link()).
bool holds(const Ranges& ranges, Row outer, Row inner) {
  if (end_of(ranges, outer) < end_of(ranges, inner)) return false;
  return end_of(ranges, outer) > ranges.start[inner] || ranges.start[outer] == ranges.start[inner];
}

/// Texts ":1:2:5" of the chains of ranges that end with each. Most begin with one that is there already.
class StackTexts {
 public:
  StackTexts(const ThreadNesting& nesting, Table& table)
      : nesting_(nesting), blocks_(table), of_range_(nesting.parent.size()) {}

  std::string_view text(Row row) {
    chain_.clear();
    for (; row != kNone && of_range_[row].empty(); row = nesting_.parent[row]) chain_.push_back(row);
    text_ = row == kNone ? std::string_view() : of_range_[row];
    if (chain_.empty()) return of_range_[row];
    std::array<char, 24> digits;
    for (const Row range : std::views::reverse(chain_)) {
      char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), range_id(range)).ptr;
      text_.push_back(':');
      text_.append(digits.data(), end);
    }
    return of_range_[chain_.front()] = blocks_.keep(text_);
  }

 private:
  const ThreadNesting& nesting_;
  TextBlocks blocks_;
  std::vector<std::string_view> of_range_;  ///< empty where not asked for yet
  std::vector<Row> chain_;
  std::string text_;
};

}  // namespace

/// `last` of a thread is the range that opened last. Its chain of parents is all that can hold what comes next: a
/// range that it crosses lies behind it in that chain or ends before it does.
ThreadNesting nest_by_thread(const Ranges& ranges, const std::function<bool(Row)>& taken) {
  const size_t rows = row_count(ranges);
  ThreadNesting nesting{Ids(rows, kNone), std::vector<uint32_t>(rows, 0)};
  std::vector<Row> last;
  for (Row row = 0; row < rows; ++row) {
    const ThreadId thread = ranges.thread[row];
    if (thread == kNone || !is_push_pop(ranges, row) || !taken(row)) continue;
    if (thread >= last.size()) last.resize(thread + 1, kNone);
    Row parent = last[thread];
    while (parent != kNone && !holds(ranges, parent, row)) parent = nesting.parent[parent];
    nesting.parent[row] = parent;
    nesting.level[row] = parent == kNone ? 0 : nesting.level[parent] + 1;
    last[thread] = row;
  }
  return nesting;
}

ThreadNesting nest_by_thread(const Ranges& ranges) {
  return nest_by_thread(ranges, [&](Row row) { return is_closed(ranges, row); });
}

std::string_view TextBlocks::keep(std::string_view text) {
  if (text.size() > free_.size()) {
    std::string block(std::max(kBlockBytes, text.size()), '\0');
    const std::string_view kept = table_.keep(std::move(block));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the table keeps the block, and only keep() writes to it.
    free_ = {const_cast<char*>(kept.data()), kept.size()};
  }
  std::ranges::copy(text, free_.begin());
  const std::string_view kept(free_.data(), text.size());
  free_ = free_.subspan(text.size());
  return kept;
}

void add_range_stacks(Table& table, const ThreadNesting& nesting, std::span<const Row> rows) {
  auto& stacks = table.texts("RangeStack");
  stacks.reserve(rows.size());
  StackTexts texts(nesting, table);
  for (const Row row : rows) stacks.push_back(texts.text(row));
}

}  // namespace sonde
