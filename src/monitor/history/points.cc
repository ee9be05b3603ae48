#include "monitor/history/points.h"

#include <algorithm>

namespace sonde::monitor::history {
namespace {

int64_t floor_to(int64_t value, int64_t step) { return value - ((value % step) + step) % step; }
int64_t ceil_to(int64_t value, int64_t step) { return floor_to(value + step - 1, step); }

int64_t points_between(int64_t from_ns, int64_t to_ns, int64_t resolution_ns) {
  return (ceil_to(to_ns, resolution_ns) - floor_to(from_ns, resolution_ns)) / resolution_ns;
}

}  // namespace

Points::Points(const HistoryQuery& query, int64_t finest_ns, size_t values)
    : resolution_ns_(ceil_to(std::max(query.resolution_ns, finest_ns), finest_ns)) {
  const int64_t max = std::max<int64_t>(2, query.max_points);
  // One point more than the range has may be begun at its start.
  const int64_t min_ns = (query.to_ns - query.from_ns) / (max - 1);
  if (points_between(query.from_ns, query.to_ns, resolution_ns_) > max) resolution_ns_ = ceil_to(min_ns + 1, finest_ns);
  first_ns_ = floor_to(query.from_ns, resolution_ns_);
  count_ = static_cast<size_t>(points_between(query.from_ns, query.to_ns, resolution_ns_));
  series_.assign(values, std::vector<Summary>(count_));
}

Summary* Points::point(size_t series, int64_t moment_ns) {
  if (moment_ns < from_ns() || moment_ns >= to_ns()) return nullptr;
  return &series_.at(series)[static_cast<size_t>((moment_ns - first_ns_) / resolution_ns_)];
}

void Points::add(size_t series, int64_t moment_ns, double value) {
  if (Summary* const at = point(series, moment_ns)) at->add(value);
}

void Points::add(size_t series, int64_t moment_ns, const Summary& value) {
  if (Summary* const at = point(series, moment_ns)) at->add(value);
}

HistoryRange Points::range(const std::vector<size_t>& values) const {
  HistoryRange range{.resolution_ns = resolution_ns_, .moments_ns = {}, .series = {}};
  for (size_t i = 0; i < count_; ++i) range.moments_ns.push_back(first_ns_ + static_cast<int64_t>(i) * resolution_ns_);
  for (size_t i = 0; i < values.size(); ++i) {
    HistorySeries series{.value = history_values()[values[i]].name, .minimum = {}, .mean = {}, .maximum = {}};
    for (const Summary& point : series_[i]) {
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      series.minimum.push_back(point.count == 0 ? kNone : point.minimum);
      series.mean.push_back(point.count == 0 ? kNone : point.sum / static_cast<double>(point.count));
      series.maximum.push_back(point.count == 0 ? kNone : point.maximum);
    }
    range.series.push_back(std::move(series));
  }
  return range;
}

}  // namespace sonde::monitor::history
