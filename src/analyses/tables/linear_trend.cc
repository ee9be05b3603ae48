#include "analyses/tables/linear_trend.h"

#include <cmath>
#include <limits>

namespace sonde {

LinearTrend linear_trend(std::span<const int64_t> values) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) return {kNone, kNone};
  // Differences from the first value, so that large levels with small growth keep their digits.
  const auto value = [&](size_t i) { return static_cast<double>(values[i] - values[0]); };
  double mean = 0;
  for (size_t i = 0; i < values.size(); ++i) mean += value(i) / n;
  const double middle = (n - 1) / 2;
  double products = 0;
  for (size_t i = 0; i < values.size(); ++i) products += (static_cast<double>(i) - middle) * (value(i) - mean);
  const double spread = n * (n * n - 1) / 12;  // of 0, 1, ..., n - 1 around their middle
  LinearTrend trend{products / spread, kNone};
  if (values.size() < 3) return trend;
  double rest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    rest += std::pow(value(i) - mean - trend.slope * (static_cast<double>(i) - middle), 2);
  }
  trend.standard_error = std::sqrt(rest / (n - 2) / spread);
  return trend;
}

}  // namespace sonde
