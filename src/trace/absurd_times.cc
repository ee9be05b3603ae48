#include "trace/absurd_times.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "trace/columns.h"

namespace sonde {
namespace {

/// In nanoseconds; absurd times may be so far apart that integers overflow.
using TimeSpan = std::pair<double, double>;

constexpr double kNsPerS = 1e9;
/// What lies outside by less than this, or by less than the recording is long, belongs to it: a range may begin before
/// its recording. Where the file does not say when the recording began or ended, a wait may be far longer than the
/// rest.
constexpr double kMinSlackNs = 60 * kNsPerS;
constexpr double kUnstatedSlackNs = 3600 * kNsPerS;
constexpr double kUnstatedLengths = 10;
/// Absurd times are few: of a thousand events one may be.
constexpr size_t kEventsPerAbsurdTime = 1000;
constexpr size_t kMinEvents = 10;

/// Calls `f(table, begin, name)` with the tables whose events take time, and the row where the last rank begins.
template <typename TraceT, typename F>
void each_new_table(TraceT& trace, const std::vector<size_t>& first, F&& f) {
  size_t index = 0;
  for_each_table(trace, [&](auto& table, std::string_view name) {
    const size_t begin = first[index++];
    if constexpr (requires { table.end; }) f(table, begin, name);
  });
}

template <typename Table>
int64_t event_end(const Table& table, size_t row) {
  return table.end[row] == kUnknown ? table.start[row] : table.end[row];
}

TimeSpan extremes(const Trace& trace, const std::vector<size_t>& first) {
  int64_t earliest = std::numeric_limits<int64_t>::max();
  int64_t latest = std::numeric_limits<int64_t>::min();
  each_new_table(trace, first, [&](const auto& table, size_t begin, std::string_view) {
    for (size_t row = begin; row < row_count(table); ++row) {
      if (table.start[row] == kUnknown) continue;
      earliest = std::min(earliest, table.start[row]);
      latest = std::max(latest, event_end(table, row));
    }
  });
  return {static_cast<double>(earliest), static_cast<double>(latest)};
}

/// From the start of the first event to that of the last one, without so few at both ends that they may be absurd.
TimeSpan most_starts(const Trace& trace, const std::vector<size_t>& first) {
  std::vector<int64_t> starts;
  each_new_table(trace, first, [&](const auto& table, size_t begin, std::string_view) {
    std::copy_if(table.start.begin() + static_cast<std::ptrdiff_t>(begin), table.start.end(),
                 std::back_inserter(starts), [](int64_t start) { return start != kUnknown; });
  });
  const size_t few = starts.size() < kMinEvents ? 0 : std::max<size_t>(starts.size() / kEventsPerAbsurdTime, 1);
  const auto nth = [&](size_t n) {
    const auto at = starts.begin() + static_cast<std::ptrdiff_t>(n);
    std::ranges::nth_element(starts, at);
    return static_cast<double>(*at);
  };
  return {nth(few), nth(starts.size() - 1 - few)};
}

double stated_or(const std::optional<int64_t>& stated_ns, double otherwise) {
  return stated_ns ? static_cast<double>(*stated_ns) : otherwise;
}

double slack_ns(bool stated, double length) {
  return stated ? std::max(kMinSlackNs, length) : std::max(kUnstatedSlackNs, kUnstatedLengths * length);
}

/// Without a look at the events: what these limits allow, plausible_times() allows too.
bool is_plausible(const Rank& rank, const TimeSpan& all) {
  const bool stated = rank.capture_start_ns && rank.capture_end_ns;
  if (!stated && all.second - all.first > kUnstatedSlackNs) return false;
  return all.first >= stated_or(rank.capture_start_ns, all.first) - kMinSlackNs &&
         all.second <= stated_or(rank.capture_end_ns, all.second) + kMinSlackNs;
}

/// The times that may belong to the recording.
TimeSpan plausible_times(const Trace& trace, const std::vector<size_t>& first) {
  const Rank& rank = trace.ranks.back();
  auto [begin, end] = most_starts(trace, first);
  begin = std::min(begin, stated_or(rank.capture_start_ns, begin));
  end = std::max(end, stated_or(rank.capture_end_ns, end));
  return {begin - slack_ns(rank.capture_start_ns.has_value(), end - begin),
          end + slack_ns(rank.capture_end_ns.has_value(), end - begin)};
}

template <typename Table>
int64_t drop_outside(Table& table, size_t begin, const TimeSpan& plausible) {
  const auto is_outside = [&](int64_t time) {
    const auto ns = static_cast<double>(time);
    return time != kUnknown && (ns < plausible.first || ns > plausible.second);
  };
  std::vector<Row> kept;
  int64_t found = 0;
  for (size_t row = 0; row < row_count(table); ++row) {
    const bool ends_outside = row >= begin && is_outside(table.end[row]);
    constexpr bool kOpenEnds = std::is_same_v<Table, Ranges>;
    const bool keep = row < begin || (!is_outside(table.start[row]) && (kOpenEnds || !ends_outside));
    if constexpr (kOpenEnds) {
      if (ends_outside) table.end[row] = kUnknown;
    }
    found += !keep || ends_outside ? 1 : 0;
    if (keep) kept.push_back(static_cast<Row>(row));
  }
  if (kept.size() < row_count(table)) select_rows(table, kept);
  return found;
}

}  // namespace

void drop_absurd_times(Trace& trace, const std::vector<size_t>& first) {
  const TimeSpan all = extremes(trace, first);
  if (all.first > all.second || is_plausible(trace.ranks.back(), all)) return;
  const TimeSpan plausible = plausible_times(trace, first);
  each_new_table(trace, first, [&](auto& table, size_t begin, std::string_view name) {
    trace.log.add(Issue::absurd_time, name, drop_outside(table, begin, plausible));
  });
}

}  // namespace sonde
