#include "gate/history/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sonde::gate {
namespace {

using Series = std::span<const double>;

constexpr size_t kFewest = 2;       // values on a side of a change
constexpr double kWeakFactor = 10;  // of Hunter: a change that a window shows weakly may be a strong one in the whole
constexpr double kMaxWeakP = 0.5;

/// Pairs of values, by the sides of a split that they lie in: sums of their distances.
struct Distances {
  double between = 0;
  double left = 0;
  double right = 0;
};

double pairs(double count) { return count * (count - 1) / 2; }

/// The energy statistic of a split into `left` and `right` values.
double energy(const Distances& sums, double left, double right) {
  const double difference = 2 * sums.between / (left * right) - sums.left / pairs(left) - sums.right / pairs(right);
  return difference * left * right / (left + right);
}

/// Sums of the distances from value `at` to those before it and behind it.
std::pair<double, double> distances_from(Series values, size_t at) {
  double before = 0;
  double behind = 0;
  for (size_t i = 0; i < at; ++i) before += std::abs(values[at] - values[i]);
  for (size_t i = at + 1; i < values.size(); ++i) behind += std::abs(values[at] - values[i]);
  return {before, behind};
}

/// The split with the largest energy; absent for too few values.
std::optional<size_t> best_split(Series values) {
  if (values.size() < 2 * kFewest) return std::nullopt;
  Distances sums;
  for (size_t i = 0; i < values.size(); ++i) sums.right += distances_from(values, i).second;
  size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (size_t split = 1; split + kFewest <= values.size(); ++split) {
    const auto [before, behind] = distances_from(values, split - 1);
    sums.left += before;
    sums.between += behind - before;
    sums.right -= behind;
    if (split < kFewest) continue;
    const double q = energy(sums, static_cast<double>(split), static_cast<double>(values.size() - split));
    if (q <= most) continue;
    most = q;
    best = split;
  }
  return best == 0 ? std::nullopt : std::optional(best);
}

/// Appends the splits of a window, ascending, as indexes of the series that it begins at `first` of.
void split_window(Series window, size_t first, double max_p, std::vector<size_t>& splits) {
  const auto split = best_split(window);
  if (!split || t_test(window.first(*split), window.subspan(*split)) > max_p) return;
  split_window(window.first(*split), first, max_p, splits);
  splits.push_back(first + *split);
  split_window(window.subspan(*split), first + *split, max_p, splits);
}

std::vector<size_t> weak_splits(Series values, const ChangePointOptions& options) {
  const double max_p = std::max(options.max_p, std::min(kWeakFactor * options.max_p, kMaxWeakP));
  const size_t window = std::max(options.window, 2 * kFewest);
  std::vector<size_t> splits;
  for (size_t start = 0; start < values.size();) {
    const size_t known = splits.size();
    split_window(values.subspan(start, std::min(window, values.size() - start)), start, max_p, splits);
    const size_t last = splits.size() > known ? splits.back() : 0;
    start = std::max(last, start + window / 2);
  }
  return splits;
}

/// Split number `i` of `splits`, tested over what lies between its neighbours.
ChangePoint tested(Series values, const std::vector<size_t>& splits, size_t i) {
  const size_t from = i == 0 ? 0 : splits[i - 1];
  const size_t to = i + 1 == splits.size() ? values.size() : splits[i + 1];
  const Series before = values.subspan(from, splits[i] - from);
  const Series after = values.subspan(splits[i], to - splits[i]);
  const auto mean = [](Series of) {
    double sum = 0;
    for (const double v : of) sum += v / static_cast<double>(of.size());
    return sum;
  };
  return {.index = splits[i], .before = mean(before), .after = mean(after), .p = t_test_without_any_one(before, after)};
}

/// The larger of the changes seen from either side, so that twice and half are equally large.
double magnitude(const ChangePoint& point) {
  const double change = std::abs(point.after - point.before);
  const double from = std::min(std::abs(point.before), std::abs(point.after));
  return from == 0 ? (change == 0 ? 0 : std::numeric_limits<double>::infinity()) : change / from;
}

/// The change point that holds least, where one does not hold.
std::optional<size_t> weakest(const std::vector<ChangePoint>& points, const ChangePointOptions& options) {
  if (points.empty()) return std::nullopt;
  const auto by_p = std::ranges::max_element(points, {}, &ChangePoint::p);
  if (by_p->p > options.max_p) return static_cast<size_t>(by_p - points.begin());
  const auto by_size = std::ranges::min_element(points, {}, &magnitude);
  if (magnitude(*by_size) < options.min_magnitude) return static_cast<size_t>(by_size - points.begin());
  return std::nullopt;
}

}  // namespace

std::vector<ChangePoint> change_points(std::span<const double> values, const ChangePointOptions& options) {
  std::vector<size_t> splits = weak_splits(values, options);
  std::vector<ChangePoint> points;
  for (size_t i = 0; i < splits.size(); ++i) points.push_back(tested(values, splits, i));
  while (const auto gone = weakest(points, options)) {
    splits.erase(splits.begin() + static_cast<ptrdiff_t>(*gone));
    points.erase(points.begin() + static_cast<ptrdiff_t>(*gone));
    if (*gone < points.size()) points[*gone] = tested(values, splits, *gone);
    if (*gone > 0) points[*gone - 1] = tested(values, splits, *gone - 1);
  }
  return points;
}

}  // namespace sonde::gate
