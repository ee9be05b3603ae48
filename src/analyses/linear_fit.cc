#include "analyses/linear_fit.h"

#include <cmath>

namespace sonde {

/// About the means, since sums of squares of bytes lose all digits of a double.
std::optional<LinearFit> linear_fit(std::span<const std::pair<double, double>> points) {
  const auto count = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const auto& [x, y] : points) {
    mean_x += x / count;
    mean_y += y / count;
  }
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (const auto& [x, y] : points) {
    xx += (x - mean_x) * (x - mean_x);
    yy += (y - mean_y) * (y - mean_y);
    xy += (x - mean_x) * (y - mean_y);
  }
  if (points.size() < 2 || xx <= 0) return std::nullopt;
  LinearFit fit{.slope = xy / xx, .intercept = mean_y - xy / xx * mean_x, .correlation = std::nullopt};
  if (yy > 0) fit.correlation = xy / std::sqrt(xx * yy);
  return fit;
}

}  // namespace sonde
