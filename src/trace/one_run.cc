#include "trace/one_run.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/text/calendar.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Clocks of different machines may differ, and the windows of one run may follow each other.
constexpr double kMaxApartNs = 3600e9;

std::pair<int64_t, int64_t> recorded_time(const Trace& trace, const std::vector<size_t>& first) {
  std::pair<int64_t, int64_t> time{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  size_t index = 0;
  for_each_table(trace, [&](const auto& table, std::string_view) {
    for (size_t row = first[index++]; row < row_count(table); ++row) {
      if (table.start[row] == kUnknown) continue;
      time.first = std::min(time.first, table.start[row]);
      time.second = std::max(time.second, table.start[row]);
    }
  });
  return time;
}

bool are_ranks_of_one_job(const Rank& a, const Rank& b) {
  return a.rank && b.rank && *a.rank != *b.rank && a.world_size.value_or(1) > 1 && a.world_size == b.world_size;
}

std::string utc_text(const Rank& rank, int64_t time_ns) {
  const auto utc = std::chrono::nanoseconds(*rank.utc_ns + time_ns);
  return moment_text(std::chrono::floor<std::chrono::seconds>(utc).count(), ' ') + " UTC";
}

}  // namespace

Status OneRun::add(const Trace& trace, const std::vector<size_t>& first) {
  const Rank& rank = trace.ranks.back();
  const auto [begin, end] = recorded_time(trace, first);
  if (!rank.utc_ns || !trace.ranks.front().utc_ns || begin > end) return {};
  if (!first_) {
    first_ = RecordedTime{static_cast<RankId>(trace.ranks.size() - 1), begin, end};
    return {};
  }
  const Rank& other = trace.ranks[first_->rank];
  const double apart = std::max(static_cast<double>(begin) - static_cast<double>(first_->end_ns),
                                static_cast<double>(first_->begin_ns) - static_cast<double>(end));
  if (apart <= kMaxApartNs || are_ranks_of_one_job(rank, other)) return {};
  return fail(
      "{} and {} are not files of one run: the first was recorded at {}, the second at {}; pass the files of one run, "
      "or "
      "compare two runs with: sonde compare --base {} --new {}",
      other.file, rank.file, utc_text(other, first_->begin_ns), utc_text(rank, begin), other.file, rank.file);
}

}  // namespace sonde
