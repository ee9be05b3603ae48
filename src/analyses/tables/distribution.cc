#include "analyses/tables/distribution.h"

#include <algorithm>
#include <cmath>

namespace sonde {
namespace {

double median_of(std::span<int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return static_cast<double>(*middle);
  const int64_t below = *std::max_element(values.begin(), middle);
  return (static_cast<double>(below) + static_cast<double>(*middle)) / 2;
}

/// Two passes: the squares of differences, not of values, so that nothing cancels.
double stddev_of(std::span<const int64_t> values, double mean) {
  if (values.size() < 2) return 0;
  double squares = 0;
  for (const int64_t v : values) {
    const double difference = static_cast<double>(v) - mean;
    squares += difference * difference;
  }
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

Distribution distribution_of(std::span<int64_t> values) {
  if (values.empty()) return {};
  Distribution d;
  d.count = static_cast<int64_t>(values.size());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  d.min = *low;
  d.max = *high;
  for (const int64_t v : values) d.total += v;
  d.mean = static_cast<double>(d.total) / static_cast<double>(d.count);
  d.median = median_of(values);
  d.stddev = stddev_of(values, d.mean);
  return d;
}

}  // namespace sonde
