#include "trace/align.h"

#include <algorithm>
#include <limits>

#include "trace/columns.h"

namespace sonde {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// Calls `f(table, begin)` with the row where each table's part of the last rank begins.
template <typename TraceT, typename F>
void each_tail(TraceT& trace, const std::vector<size_t>& first, F&& f) {
  size_t index = 0;
  for_each_table(trace, [&](auto& table, std::string_view) { f(table, first[index++]); });
}

/// The earliest start of rows [begin, end) of each table, or kNever.
int64_t first_event(const Trace& trace, const std::vector<size_t>& begin, const std::vector<size_t>& end) {
  int64_t earliest = kNever;
  size_t index = 0;
  for_each_table(trace, [&](const auto& table, std::string_view) {
    for (size_t row = begin[index]; row < end[index]; ++row) {
      if (table.start[row] != kUnknown) earliest = std::min(earliest, table.start[row]);
    }
    ++index;
  });
  return earliest;
}

void shift(Times& times, size_t first, int64_t offset) {
  for (size_t row = first; row < times.size(); ++row) {
    if (times[row] == kUnknown) continue;
    // A damaged file may have any time: the sum wraps, and stays a time.
    times[row] = static_cast<int64_t>(static_cast<uint64_t>(times[row]) + static_cast<uint64_t>(offset));
  }
}

int64_t offset_by_first_event(Trace& trace, const std::vector<size_t>& first) {
  const std::vector<size_t> none(first.size(), 0);
  const int64_t before = first_event(trace, none, first);
  const int64_t now = first_event(trace, first, row_counts(trace));
  trace.log.add(Issue::clocks_not_aligned, trace.ranks.back().file);
  return before == kNever || now == kNever ? 0 : before - now;
}

}  // namespace

void shift_last_rank(Trace& trace, const std::vector<size_t>& first, int64_t offset) {
  each_tail(trace, first, [&](auto& table, size_t begin) {
    shift(table.start, begin, offset);
    if constexpr (requires { table.end; }) shift(table.end, begin, offset);
  });
}

std::optional<int64_t> utc_of_clock(std::optional<int64_t> time_ns) {
  constexpr int64_t kSeptember2001 = 1'000'000'000'000'000'000;
  return time_ns && *time_ns >= kSeptember2001 ? time_ns : std::nullopt;
}

std::vector<size_t> row_counts(const Trace& trace) {
  std::vector<size_t> counts;
  for_each_table(trace, [&](const auto& table, std::string_view) { counts.push_back(row_count(table)); });
  return counts;
}

void align_last_rank(Trace& trace, const std::vector<size_t>& first) {
  if (trace.ranks.size() < 2) return;
  Rank& rank = trace.ranks.back();
  const std::optional<int64_t>& utc = trace.ranks.front().utc_ns;
  const int64_t offset = utc && rank.utc_ns ? *rank.utc_ns - *utc : offset_by_first_event(trace, first);
  shift_last_rank(trace, first, offset);
  if (rank.utc_ns) *rank.utc_ns -= offset;
  if (rank.capture_start_ns) *rank.capture_start_ns += offset;
  if (rank.capture_end_ns) *rank.capture_end_ns += offset;
}

}  // namespace sonde
