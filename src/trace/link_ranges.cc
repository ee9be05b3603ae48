#include <algorithm>
#include <ranges>
#include <span>

#include <boost/unordered/unordered_flat_map.hpp>

#include "trace/columns.h"
#include "trace/link.h"
#include "trace/rows_by_thread.h"

namespace sonde {
namespace {

/// The ranges of one domain that are open at a point of a thread's time. An entry's parent is the entry below it that
/// holds it whole, so walking parents finds the innermost holder even where ranges cross.
class OpenRanges {
 public:
  explicit OpenRanges(const Ranges& ranges) : ranges_(ranges) {}

  /// The innermost open range that holds [start, end] whole, or kNone.
  [[nodiscard]] Row holder(int64_t start, int64_t end) {
    while (!open_.empty() && ends_before(open_.back(), start)) open_.pop_back();
    for (const Row row : std::views::reverse(open_)) {
      if (end_of(row) >= end) return row;
    }
    return kNone;
  }
  void open(Row row) { open_.push_back(row); }
  void clear() { open_.clear(); }
  [[nodiscard]] Row top() const { return open_.empty() ? kNone : open_.back(); }

 private:
  /// A range that was open when the recording ended holds everything after its start.
  [[nodiscard]] int64_t end_of(Row row) const {
    return ranges_.end[row] == kUnknown ? std::numeric_limits<int64_t>::max() : ranges_.end[row];
  }
  /// A range that ends where the next begins does not hold it, unless it takes no time itself.
  [[nodiscard]] bool ends_before(Row row, int64_t start) const {
    return end_of(row) < start || (end_of(row) == start && ranges_.start[row] < start);
  }
  const Ranges& ranges_;
  std::vector<Row> open_;
};

std::vector<DomainId> domains_with_push_pop(const Trace& trace) {
  std::vector<bool> used(trace.domains.size(), false);
  for (size_t row = 0; row < row_count(trace.ranges); ++row) {
    if (trace.ranges.style[row] == static_cast<uint8_t>(RangeStyle::push_pop)) used[trace.ranges.domain[row]] = true;
  }
  std::vector<DomainId> domains;
  for (size_t d = 0; d < used.size(); ++d) {
    if (used[d]) domains.push_back(static_cast<DomainId>(d));
  }
  return domains;
}

/// Sweeps one thread: its ranges and calls in the order of their start, one stack of open ranges for each domain.
class Sweep {
 public:
  Sweep(Trace& trace, std::vector<DomainLinks>& links) : trace_(trace), links_(links) {
    stack_of_domain_.assign(trace.domains.size(), 0);
    for (const DomainLinks& l : links) {
      stack_of_domain_[l.domain] = stacks_.size();
      stacks_.emplace_back(trace.ranges);
    }
  }

  void thread(std::span<const Row> ranges, std::span<const Row> calls) {
    for (OpenRanges& stack : stacks_) stack.clear();
    size_t next_call = 0;
    for (const Row row : ranges) {
      if (trace_.ranges.style[row] != static_cast<uint8_t>(RangeStyle::push_pop)) continue;
      while (next_call < calls.size() && trace_.api.start[calls[next_call]] < trace_.ranges.start[row]) {
        place_call(calls[next_call++]);
      }
      place_range(row);
    }
    while (next_call < calls.size()) place_call(calls[next_call++]);
  }

  [[nodiscard]] int64_t crossing() const { return crossing_; }

 private:
  void place_range(Row row) {
    Ranges& ranges = trace_.ranges;
    OpenRanges& stack = stacks_[stack_of_domain_[ranges.domain[row]]];
    const int64_t end = ranges.end[row] == kUnknown ? ranges.start[row] : ranges.end[row];
    ranges.parent[row] = stack.holder(ranges.start[row], end);
    if (stack.top() != ranges.parent[row]) ++crossing_;
    stack.open(row);
  }

  void place_call(Row call) {
    for (size_t i = 0; i < stacks_.size(); ++i) {
      links_[i].of_api[call] = stacks_[i].holder(trace_.api.start[call], trace_.api.end[call]);
    }
  }

  Trace& trace_;
  std::vector<DomainLinks>& links_;
  std::vector<OpenRanges> stacks_;
  std::vector<size_t> stack_of_domain_;
  int64_t crossing_ = 0;
};

/// The innermost forward operator of each sequence number and process; rows are in nesting order, so the last one wins.
auto forward_operators(const Trace& trace) {
  boost::unordered_flat_map<std::pair<ProcessId, int64_t>, Row> found;
  const Ranges& r = trace.ranges;
  for (size_t row = 0; row < r.sequence.size(); ++row) {
    if (r.sequence[row] == kUnknown || r.backward[row] == 1 || r.thread[row] == kNone) continue;
    found[{trace.threads[r.thread[row]].process, r.sequence[row]}] = static_cast<Row>(row);
  }
  return found;
}

void link_backward_operators(Trace& trace) {
  Ranges& r = trace.ranges;
  if (r.sequence.empty() || r.backward.empty()) return;
  const auto forward = forward_operators(trace);
  r.forward.assign(row_count(r), kNone);
  for (size_t row = 0; row < row_count(r); ++row) {
    if (r.backward[row] != 1 || r.sequence[row] == kUnknown || r.thread[row] == kNone) continue;
    const auto found = forward.find({trace.threads[r.thread[row]].process, r.sequence[row]});
    if (found != forward.end()) r.forward[row] = found->second;
  }
}

}  // namespace

int64_t link_ranges(Trace& trace) {
  if (!trace.fields.has(Field::range_links)) return 0;
  trace.ranges.parent.assign(row_count(trace.ranges), kNone);
  for (const DomainId domain : domains_with_push_pop(trace)) {
    trace.range_links.push_back({domain, Ids(row_count(trace.api), kNone)});
  }
  const RowsByThread ranges(trace.ranges.thread, trace.threads.size());
  const RowsByThread calls(trace.api.thread, trace.threads.size());
  Sweep sweep(trace, trace.range_links);
  for (ThreadId t = 0; t < trace.threads.size(); ++t) sweep.thread(ranges.rows_of(t), calls.rows_of(t));
  link_backward_operators(trace);
  return sweep.crossing();
}

}  // namespace sonde
